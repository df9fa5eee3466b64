/* The compiler underneath pfcc: PF_CC, PF_CXX.
 *
 * They may have several words: a launcher such as ccache, the compiler, options for it. An option is looked at as if it
 * had been given to pfcc.
 *
 * A cache of compilations (ccache, sccache) must know compilations apart that differ in what pfcc adds. There are two
 * ways to use one:
 *   ccache pfcc        The cache sees pfcc and its arguments, not PF_CC. But it has pfcc preprocess the source, and takes
 *                      what comes out for its key: identity.h makes that begin with a line that names the identity
 *                      below. The line looks as if it were of an included file, which does not exist: so ccache does not
 *                      trust its list of included files, and cannot do without preprocessing the next time ("direct
 *                      mode"). Its depend mode never preprocesses, and is refused.
 *   PF_CC="ccache gcc" The cache sees the compiler and all arguments, but not what is in our plugin and our macros for
 *                      the assembler: an option that has no effect names the identity. */
#pragma once

#include "base/base.h"

enum { PATH_BYTES = 4096 };

struct compiler {
    char **word; /* to run it; NULL after the last */
    int count;
    int at; /* which of them is the compiler: what is before it launches it, what follows is options */
    char real[PATH_BYTES]; /* the file it is, behind links and launchers; "" if that is not known */
    bool clang;
    bool launched; /* there is a launcher before it, or under its name */
};

static inline const char *compiler_name(const struct compiler *c)
{
    return c->word[c->at];
}

/* From the environment. */
void compiler_choose(struct compiler *c, bool cxx);

/* The C++ compiler that belongs to a C compiler: clang-19 and clang++-19, x86_64-linux-gnu-gcc-12 and
 * ...-g++-12. NULL: it has neither name. */
char *compiler_cxx_of(const char *compiler);

/* A number for the compiler and the files (NULL after the last) that it is used with: what changes them changes it. */
uint64_t compiler_identity(const struct compiler *c, const char *const *files);

/* Was pfcc started by a ccache that is in depend mode? */
bool compiler_in_depend_mode(void);
