/* pfcc and pfc++: the compiler underneath, with our runtime in place of the one it would link.
 *
 * gcc: -fsanitize=thread instruments, and adds libtsan_preinit.o and -ltsan when it links. Both are looked up
 * along -B and -L first, where ours lie under those names: so every mode of the driver (-c, -S, -E, -shared,
 * -flto, several inputs, response files, none at all) works without being told apart here. clang:
 * -fno-sanitize-link-runtime leaves its own runtime out, and ours is named; arguments that a mode does not
 * use are marked as such.
 *
 *   PF_CC, PF_CXX     the compiler underneath (gcc, g++), cli/pfcc_compiler.h; without PF_CXX, what belongs to PF_CC
 *   --placement=P     where accesses are checked: by clang 19 with a pass of ours (src/place/), by the gcc that
 *                     our plugin was made for (src/place/gcc/), or each by itself
 *   --pf-calls        checks are calls, with no test in their place (runtime/in_place.s, place/emit.cpp)
 *   --pf-remarks      with --placement: tell what becomes of the check of each access
 *   --pf-static       link the runtime into the program
 *   --pf-show         print the command instead of running it
 *
 * The directory of the runtime is always a run path; with --pf-static below /dev/null, where only the runtime
 * looks. That is how it finds the program that writes its reports (runtime/helper_path.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/nearest.h"
#include "cli/pfcc_compiler.h"
#include "cli/pfcc_target.h"
#include "cli/pfcc_usage.h"

enum { EXIT_BAD_OPTIONS = 64, MOST_ADDED = 64 };

/* What the arguments ask for. */
struct wish {
    bool clang, help, show, remarks;
    bool calls;              /* no tests in their place: asked for, or gcc's assembler could not make them */
    bool assembly, compiled; /* among the inputs is a file in assembly; one that is compiled, or may be */
    bool header, linked;     /* one that is a header; one that is linked as it is */
    bool precompiles;        /* the language is that of a header */
    bool value;              /* the argument before this one asks for it, so that it is no input */
    bool static_runtime;
    bool library; /* -shared or -r: the program that loads it has the runtime */
    bool partial; /* -r: object files are put together, and nothing that is looked up in libraries */
    bool inputs;  /* without any (-v) there is nothing to link, and nothing for the linker may be named */
    bool links;   /* as far as one can tell */
    bool bare; /* -nodefaultlibs, -nostdlib: gcc does not name the runtime itself, as when rustc calls it */
    bool preprocesses; /* -E */
    bool dependencies; /* -MD, -MMD */
    struct target target;
    const char *unlinkable; /* an option for programs without a dynamic linker */
    const char *placement;  /* NULL: not asked for */
};

static _Noreturn void give_up(const char *name, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", name, what, why);
    exit(EXIT_BAD_OPTIONS);
}

/* The directory of the runtime library: ../lib/photofinish from where this program is. */
static void library_directory(const char *name, char directory[PATH_BYTES])
{
    char self[PATH_BYTES - 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        give_up(name, "/proc/self/exe", strerror(errno));
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash == NULL)
            give_up(name, self, "unexpected place");
        *slash = '\0';
    }
    snprintf(directory, PATH_BYTES, "%s/lib/photofinish", self);
    char library[PATH_BYTES + 32];
    snprintf(library, sizeof library, "%s/libphotofinish.so.0", directory);
    if (access(library, R_OK) != 0)
        give_up(name, library, strerror(errno));
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

static bool ends_with_any(const char *text, const char *const *endings)
{
    for (; *endings != NULL; endings++)
        if (ends_with(text, *endings))
            return true;
    return false;
}

struct command {
    char **argument;
    int count;
};

static void add(struct command *c, const char *argument)
{
    c->argument[c->count++] = (char *)argument;
}

static char *joined(const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

static bool is(const char *argument, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(argument, *list) == 0)
            return true;
    return false;
}

/* The pass is made for one version of clang: what the compiler's name leads to says which it is. */
static bool is_clang_19(const struct compiler *compiler)
{
    return strstr(compiler->real, "-19") != NULL;
}

#ifndef PF_GCC
#define PF_GCC "" /* there is no plugin */
#endif

/* The plugin is made for one gcc. */
static bool is_own_gcc(const struct compiler *compiler)
{
    const char *cxx = compiler_cxx_of(PF_GCC);
    return *compiler->real != '\0' &&
           (strcmp(compiler->real, PF_GCC) == 0 || (cxx != NULL && strcmp(compiler->real, cxx) == 0));
}

static const char *pass_of(const struct wish *w, const char *directory)
{
    return joined(directory, w->clang ? "/photofinish-place.so" : "/photofinish_gcc.so");
}

static bool can_place(const struct wish *w, const struct compiler *compiler, const char *directory)
{
    return (w->clang ? is_clang_19(compiler) : is_own_gcc(compiler)) &&
           access(pass_of(w, directory), R_OK) == 0;
}

static void must_place(const struct wish *w, const char *name, const struct compiler *compiler,
                       const char *directory)
{
    static const char *const all[] = {"every", "redcard", "slimstate", "slimcard", "bigfoot", NULL};
    static const char *const of_gcc[] = {"every", "redcard", "bigfoot", NULL};
    const char *option = joined("--placement=", w->placement);
    if (!is(w->placement, all))
        give_up(name, option, "is one of every, redcard, slimstate, slimcard, bigfoot");
    if (!w->clang && strcmp(w->placement, "every") == 0)
        return; /* as gcc has it */
    if (w->clang ? !is_clang_19(compiler) : !is(w->placement, of_gcc))
        give_up(name, option, "needs clang 19 underneath: PF_CC=clang-19");
    if (!w->clang && !is_own_gcc(compiler))
        give_up(name, option, "needs clang 19 underneath, or the gcc that Photofinish was built with");
    if (access(pass_of(w, directory), R_OK) != 0)
        give_up(name, pass_of(w, directory),
                w->clang ? "is not there: Photofinish was built without llvm-19-dev"
                         : "is not there: Photofinish was built without gcc's headers for plugins");
}

/* A runtime that is linked statically reads this run path itself, and the dynamic linker must find nothing there: where the
 * program runs, anybody might be able to make that directory, and put a C library into it. Below a device nobody can. */
static void add_run_path(struct command *c, const struct wish *w, const char *directory)
{
    add(c, joined("-L", directory));
    add(c, joined(w->static_runtime ? "-Wl,-rpath,/dev/null" : "-Wl,-rpath,", directory));
}

/* For a compiler that does not name it itself. */
static void add_runtime(struct command *c, const struct wish *w, const char *directory)
{
    if (!w->library) /* the runtime starts before anybody's constructors, as gcc has it */
        add(c, joined("-Wl,", joined(directory, "/libtsan_preinit.o")));
    if (!w->static_runtime && !w->partial)
        add(c, "-Wl,--push-state,--no-as-needed,-l:libphotofinish.so.0,--pop-state");
    else if (!w->library)
        add(c, "-Wl,--push-state,--whole-archive,-l:libphotofinish.a,--pop-state");
}

static void add_gcc(struct command *c, const struct wish *w, const char *directory)
{
    add(c, "-fsanitize=thread");
    add(c, "-Wno-tsan"); /* fences are modelled */
    add(c, "-fno-plt");  /* a check is a call */
    add(c,
        "-fno-tree-loop-im"); /* moves a load that comes only under a condition out of its loop: an access that is none */
    add(c, "-fno-ipa-icf"); /* of two functions with the same code one would stand for both in stacks */
    /* What gcc expands inline is not instrumented; a call is intercepted. */
    static const char *const calls[] = {
        "-fno-builtin-memcpy",  "-fno-builtin-memmove",  "-fno-builtin-memset",  "-fno-builtin-mempcpy",
        "-fno-builtin-memcmp",  "-fno-builtin-bcmp",     "-fno-builtin-bcopy",   "-fno-builtin-bzero",
        "-fno-builtin-strcpy",  "-fno-builtin-stpcpy",   "-fno-builtin-strncpy", "-fno-builtin-stpncpy",
        "-fno-builtin-strcat",  "-fno-builtin-strncat",  "-fno-builtin-strcmp",  "-fno-builtin-strncmp",
        "-fno-builtin-sprintf", "-fno-builtin-snprintf",
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        add(c, calls[i]);
    /* Assembly that somebody has written has no checks, and may have a macro `call' of its own. */
    if (!w->calls && (w->compiled || !w->assembly)) {
        add(c, "-Xassembler");
        add(c, joined(directory, "/in_place.s"));
    }
    if (w->placement != NULL && strcmp(w->placement, "every") != 0)
        add(c, joined("-fplugin=", pass_of(w, directory)));
    if (w->placement != NULL && strcmp(w->placement, "bigfoot") == 0 && !w->calls)
        add(c, "-fplugin-arg-photofinish_gcc-loops");
    if (!w->inputs)
        return;
    add(c, joined("-B", directory));
    add_run_path(c, w, directory);
    if (w->bare && w->links)
        add_runtime(c, w, directory);
    else if (w->static_runtime)
        add(c, "-static-libtsan"); /* libtsan.a: nothing when it links a shared library */
}

/* Options of the pass are for the compiler proper, which loads it, and not for the assembler. */
static void add_to_pass(struct command *c, const char *option)
{
    add(c, "-Xclang");
    add(c, "-mllvm");
    add(c, "-Xclang");
    add(c, option);
}

static void add_placement(struct command *c, const struct wish *w, const char *directory)
{
    const char *pass = pass_of(w, directory);
    add(c, joined("-fplugin=", pass));
    add(c, joined("-fpass-plugin=", pass));
    add_to_pass(c, joined("-pf-placement=", w->placement));
    if (w->calls)
        add_to_pass(c, "-pf-inline=false");
    if (w->remarks)
        add_to_pass(c, "-pf-remarks");
}

static void add_clang(struct command *c, const struct wish *w, const char *directory)
{
    add(c, "--start-no-unused-arguments");
    add(c, "-fsanitize=thread");
    add(c, "-fno-sanitize-link-runtime");
    if (w->placement != NULL)
        add_placement(c, w, directory);
    if (w->inputs) {
        add_run_path(c, w, directory);
        add_runtime(c, w, directory);
    }
}

static void add_common(struct command *c, const struct wish *w, const char *directory)
{
    char header[PATH_BYTES + 64], *include = joined(directory, "/../../include");
    snprintf(header, sizeof header, "%s/photofinish/annotate.h", include);
    if (access(header, R_OK) == 0) {
        add(c, "-idirafter");
        add(c, include);
    }
    if (w->static_runtime && w->inputs && w->links && !w->library)
        add(c, joined("-Wl,--dynamic-list=", joined(directory, "/libphotofinish.a.syms")));
}

/* For caches of compilations (cli/pfcc_compiler.h). After all other arguments: a precompiled header must be included
 * first. */
static void add_identity(struct command *c, const struct wish *w, const struct compiler *compiler,
                         const char *directory)
{
    char number[24];
    const char *const files[] = {pass_of(w, directory), joined(directory, "/in_place.s"), NULL};
    snprintf(number, sizeof number, "%016llx", (unsigned long long)compiler_identity(compiler, files));
    char *name = joined("photofinish-", number);
    if (compiler->launched)
        add(c, joined(joined("-fmacro-prefix-map=", name), "="));
    if (w->preprocesses) {
        add(c, joined(joined("-D__photofinish_identity__=\"", name), "\""));
        add(c, "-include");
        add(c, joined(directory, "/identity.h"));
    }
}

/* As a shell takes it. */
static void show_argument(const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    if (*argument != '\0' && argument[strspn(argument, plain)] == '\0') {
        fputs(argument, stdout);
        return;
    }
    putchar('\'');
    for (; *argument != '\0'; argument++)
        if (*argument == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*argument);
    putchar('\'');
}

static void show(const struct command *c)
{
    for (int i = 0; i < c->count; i++) {
        show_argument(c->argument[i]);
        putchar(i + 1 < c->count ? ' ' : '\n');
    }
}

/* What an argument of the compiler's says about the mode it will be in. */
static void examine(struct wish *w, const char *argument)
{
    static const char *const no_link[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
    static const char *const libraries[] = {"-shared", "--shared", "-r", NULL};
    static const char *const unlinkable[] = {"-static", "--static", "-static-pie", NULL};
    static const char *const assembly[] = {".s", ".S", ".sx", NULL};
    static const char *const compiled[] = {".c",   ".cc", ".cp", ".cpp", ".cxx", ".c++",
                                           ".CPP", ".C",  ".i",  ".ii",  NULL};
    static const char *const headers[] = {".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".HPP", NULL};
    static const char *const linked[] = {".o", ".a", ".so", NULL};
    static const char *const header_languages[] = {"c-header", "c++-header", "-xc-header", "-xc++-header",
                                                   NULL};
    static const char *const with_value[] = {"-include", "-imacros", "-o", "-MF", "-MT", "-MQ", NULL};
    /* gcc's tests are macros for the syntax that it writes by default; with -pipe the assembler would read
     * nothing else. */
    w->calls |= !w->clang && (strcmp(argument, "-masm=intel") == 0 || strcmp(argument, "-pipe") == 0);
    w->inputs |= argument[0] != '-' || argument[1] == '\0' || argument[1] == 'l';
    w->assembly |= ends_with_any(argument, assembly);
    w->compiled |= ends_with_any(argument, compiled) || strncmp(argument, "-x", 2) == 0;
    w->header |= !w->value && argument[0] != '-' && ends_with_any(argument, headers);
    w->linked |= ends_with_any(argument, linked) || strstr(argument, ".so.") != NULL;
    w->precompiles |= is(argument, header_languages);
    w->value = is(argument, with_value);
    w->links &= !is(argument, no_link);
    w->library |= is(argument, libraries);
    w->partial |= strcmp(argument, "-r") == 0;
    w->bare |= strcmp(argument, "-nodefaultlibs") == 0 || strcmp(argument, "-nostdlib") == 0;
    w->preprocesses |= strcmp(argument, "-E") == 0;
    w->dependencies |= strcmp(argument, "-MD") == 0 || strcmp(argument, "-MMD") == 0;
    target_examine(&w->target, argument);
    if (is(argument, unlinkable))
        w->unlinkable = strdup(argument);
}

/* The compiler reads a response file itself: what can be read only once, or has no end, is left to it, and so is
 * what cannot be read at all. */
static FILE *open_response_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
}

/* The arguments in a response file, as the compiler splits them: by blanks, with quotes and backslashes. */
static void examine_file(struct wish *w, const char *path)
{
    FILE *file = open_response_file(path);
    char word[PATH_BYTES], quote = '\0';
    size_t length = 0;
    bool in_word = false;
    for (int c = 0; file != NULL && c != EOF;) {
        c = getc(file);
        bool blank = c == EOF || (quote == '\0' && strchr(" \t\r\n\f\v", c) != NULL);
        if (blank && in_word) {
            word[length] = '\0';
            examine(w, word);
            length = 0;
        }
        in_word = !blank;
        if (blank)
            continue;
        if (c == '\\' && quote != '\'')
            c = getc(file);
        else if (quote == '\0' ? c == '"' || c == '\'' : c == quote) {
            quote = quote == '\0' ? (char)c : '\0';
            continue;
        }
        if (length + 1 < sizeof word && c != EOF)
            word[length++] = (char)c;
    }
    if (file != NULL)
        fclose(file);
}

/* Our own options that have no value, and what each sets. */
static const struct {
    const char *name;
    size_t flag;
} own_options[] = {
    {"--pf-help", offsetof(struct wish, help)},
    {"--pf-show", offsetof(struct wish, show)},
    {"--pf-calls", offsetof(struct wish, calls)},
    {"--pf-remarks", offsetof(struct wish, remarks)},
    {"--pf-static", offsetof(struct wish, static_runtime)},
};

static _Noreturn void refuse_option(const char *name, const char *option)
{
    struct nearest n = {.wanted = option, .length = strlen(option)};
    for (size_t i = 0; i < array_length(own_options); i++)
        nearest_consider(&n, own_options[i].name);
    give_up(name, option,
            n.name != NULL
                ? joined(joined("no such option: did you mean ", n.name), "? (--pf-help lists them)")
                : "no such option (--pf-help lists them)");
}

/* Is it one of ours? */
static bool take_own(struct wish *w, const char *name, const char *argument)
{
    for (size_t i = 0; i < array_length(own_options); i++)
        if (strcmp(argument, own_options[i].name) == 0) {
            *(bool *)((char *)w + own_options[i].flag) = true;
            return true;
        }
    if (strncmp(argument, "--pf-", 5) == 0)
        refuse_option(name, argument);
    if (strncmp(argument, "--placement=", 12) != 0)
        return false;
    w->placement = argument + 12;
    return true;
}

/* Takes our own options out; looks at the compiler's. */
static void look_at(struct wish *w, const char *name, int argc, char **argv, struct command *rest)
{
    w->links = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            printf("Options of %s itself: %s --pf-help. Those of the compiler underneath:\n\n", name, name);
        if (strcmp(argv[i], "-pipe") == 0 && !w->clang)
            continue; /* it says only how gcc's parts talk to each other */
        if (!take_own(w, name, argv[i]))
            add(rest, argv[i]);
        examine(w, argv[i]);
        if (argv[i][0] == '@')
            examine_file(w, argv[i] + 1);
    }
    if (w->help) {
        printf(PFCC_USAGE, name);
        exit(0);
    }
    /* A header by itself is precompiled. The compiler would link what is named for the linker. */
    if (w->precompiles || (w->header && !w->compiled && !w->assembly && !w->linked))
        w->inputs = w->links = false;
}

/* What cannot be built, or not so that it can be relied on. */
static void check(const struct wish *w, const char *name, const struct compiler *compiler)
{
    if (w->target.refused != NULL)
        give_up(name, w->target.refused, TARGET_ONLY);
    if (target_compiler_is_foreign(compiler_name(compiler)))
        give_up(name, compiler_name(compiler), TARGET_ONLY);
    if (w->links && w->unlinkable != NULL)
        give_up(name, w->unlinkable,
                "a program without a dynamic linker cannot be checked (--pf-static puts only the race "
                "detector into it)");
    if (w->dependencies && !w->preprocesses && compiler_in_depend_mode())
        give_up(
            name, "ccache",
            "in its depend mode it cannot tell the compilers apart that PF_CC may name: set CCACHE_NODEPEND=1, "
            "or use PF_CC=\"ccache gcc\"");
}

static struct command new_command(int arguments)
{
    struct command c = {.argument = calloc((size_t)arguments + MOST_ADDED, sizeof *c.argument)};
    if (c.argument == NULL)
        abort();
    return c;
}

int main(int argc, char **argv)
{
    bool cxx = ends_with(argv[0], "++");
    const char *name = cxx ? "pfc++" : "pfcc";
    static struct compiler compiler;
    compiler_choose(&compiler, cxx);
    struct wish w = {.clang = compiler.clang};
    struct command c = new_command(argc + compiler.count), rest = new_command(argc);
    for (int i = compiler.at + 1; i < compiler.count; i++)
        examine(&w, compiler.word[i]);
    look_at(&w, name, argc, argv, &rest);
    check(&w, name, &compiler);
    char directory[PATH_BYTES];
    library_directory(name, directory);
    if (w.placement != NULL)
        must_place(&w, name, &compiler, directory);
    else if (can_place(&w, &compiler, directory))
        w.placement = "bigfoot";
    if (w.remarks && (w.placement == NULL || !w.clang))
        give_up(name, "--pf-remarks", "is about where checks are placed with clang 19: PF_CC=clang-19");
    for (int i = 0; i < compiler.count; i++)
        add(&c, compiler.word[i]);
    if (w.clang)
        add_clang(&c, &w, directory);
    else
        add_gcc(&c, &w, directory);
    add_common(&c, &w, directory);
    if (w.clang)
        add(&c, "--end-no-unused-arguments");
    for (int i = 0; i < rest.count; i++)
        add(&c, rest.argument[i]);
    if (!w.clang)
        add(&c, "-U_FORTIFY_SOURCE"); /* fortified functions are expanded inline, too */
    add_identity(&c, &w, &compiler, directory);
    if (w.show) {
        show(&c);
        return 0;
    }
    fflush(stdout);
    execvp(c.argument[0], c.argument);
    give_up(name, c.argument[0], strerror(errno));
}
