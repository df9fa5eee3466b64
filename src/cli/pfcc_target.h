/* What pfcc can build for: Linux on x86-64, with the GNU C library. Everything else is refused. */
#pragma once

#include "base/base.h"

/* An argument of the compiler's that names what to build for. */
struct target {
    const char *refused; /* the argument that asks for something else; NULL: none does */
    bool value_follows;  /* the next argument is the value of -target */
};

/* Looks at the next argument. The last one that names a word size counts, as it does for the compiler. */
void target_examine(struct target *target, const char *argument);

/* Does the name of a compiler say that it is one for something else (aarch64-linux-gnu-gcc)? */
bool target_compiler_is_foreign(const char *compiler);

#define TARGET_ONLY "programs are built for Linux on x86-64, with the GNU C library, and for nothing else"
