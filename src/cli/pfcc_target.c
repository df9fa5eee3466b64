#include "cli/pfcc_target.h"

#include <string.h>

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Of a triple such as x86_64-pc-linux-gnu, or the beginning of a name that has one in front. */
static bool is_own(const char *triple)
{
    static const char *const others[] = {"gnux32", "musl", "android", "uclibc"};
    bool own =
        (begins_with(triple, "x86_64-") || begins_with(triple, "amd64-")) && strstr(triple, "linux") != NULL;
    for (size_t i = 0; i < array_length(others); i++)
        own = own && strstr(triple, others[i]) == NULL;
    return own;
}

/* clang: --target=TRIPLE, -target TRIPLE; both: -m32, -mx32, -m16, -m64. (`--target TRIPLE' is no option of either;
 * what was meant is clear.) */
void target_examine(struct target *t, const char *argument)
{
    static const char *const sizes[] = {"-m32", "-mx32", "-m16"};
    bool is_value = t->value_follows;
    t->value_follows = strcmp(argument, "-target") == 0 || strcmp(argument, "--target") == 0;
    if (is_value || begins_with(argument, "--target=")) {
        t->refused = is_own(is_value ? argument : argument + strlen("--target=")) ? NULL : strdup(argument);
        return;
    }
    if (strcmp(argument, "-m64") == 0 && t->refused != NULL && begins_with(t->refused, "-m"))
        t->refused = NULL;
    for (size_t i = 0; i < array_length(sizes); i++)
        if (strcmp(argument, sizes[i]) == 0)
            t->refused = strdup(argument); /* the argument may be in a buffer (response files) */
}

bool target_compiler_is_foreign(const char *compiler)
{
    static const char *const machines[] = {"aarch64", "alpha", "arm",  "avr",   "hppa",  "i386", "i486",
                                           "i586",    "i686",  "ia64", "loong", "m68k",  "mips", "powerpc",
                                           "ppc",     "riscv", "s390", "sh4",   "sparc", "wasm", "x86_64"};
    const char *slash = strrchr(compiler, '/'), *name = slash != NULL ? slash + 1 : compiler;
    for (size_t i = 0; i < array_length(machines); i++)
        if (begins_with(name, machines[i]) && strchr(name, '-') != NULL)
            return !is_own(name);
    return false;
}
