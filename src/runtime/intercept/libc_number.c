/* Numbers from strings. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "runtime/intercept/libc.h"

/* How long the number at the beginning of the string is, with what is in front of it. */
static size_t decimal(const char *s)
{
    size_t n = 0;
    while (isspace((unsigned char)s[n]))
        n++;
    n += s[n] == '-' || s[n] == '+';
    while (s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

#include "runtime/intercept/libc_number.def"
