/* Strings and blocks of wide characters, and conversions between them and characters. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

#include "runtime/intercept/libc.h"

static size_t length(const wchar_t *s)
{
    return REAL(wcslen)(s);
}

static size_t within(const wchar_t *s, size_t n)
{
    size_t before_end = REAL(wcsnlen)(s, n);
    return before_end < n ? before_end + 1 : n;
}

static size_t alike(const wchar_t *a, const wchar_t *b, size_t n, bool fold)
{
    size_t i = 0;
    while (i < n && a[i] != 0 && (a[i] == b[i] || (fold && towlower((wint_t)a[i]) == towlower((wint_t)b[i]))))
        i++;
    return i < n ? i + 1 : n;
}

static size_t bytes(const char *s)
{
    return REAL(strlen)(s);
}

static size_t bytes_within(const char *s, size_t n)
{
    size_t before_end = REAL(strnlen)(s, n);
    return before_end < n ? before_end + 1 : n;
}

#define CHAR               wchar_t
#define WIDE_INT           wchar_t
#define NAME(narrow, wide) wide
#include "runtime/intercept/libc_text.def"
#include "runtime/intercept/libc_convert.def"
