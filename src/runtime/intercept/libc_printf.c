/* printf, scanf and their relatives. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/intercept/libc_format.h"

/* Of a format that is wide, or not. */
static size_t length_true(const wchar_t *s)
{
    return REAL(wcslen)(s);
}

static size_t length_false(const char *s)
{
    return REAL(strlen)(s);
}

#include "runtime/intercept/libc_printf.def"
