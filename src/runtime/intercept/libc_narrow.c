/* Strings and blocks of characters. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/intercept/libc.h"

static size_t length(const char *s)
{
    return REAL(strlen)(s);
}

static size_t within(const char *s, size_t n)
{
    size_t before_end = REAL(strnlen)(s, n);
    return before_end < n ? before_end + 1 : n;
}

/* In the thread's locale; whoever compares in another has other pairs that are alike, and stops elsewhere
 * only in letters that no two locales agree about. */
static size_t alike(const char *a, const char *b, size_t n, bool fold)
{
    size_t i = 0;
    while (i < n && a[i] != 0 &&
           (a[i] == b[i] || (fold && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))))
        i++;
    return i < n ? i + 1 : n;
}

/* In place of libc's: two threads that use strtok() race for it. */
static char *strtok_state;

#define CHAR               char
#define WIDE_INT           int
#define NAME(narrow, wide) narrow
#include "runtime/intercept/libc_text.def"
#include "runtime/intercept/libc_string.def"
