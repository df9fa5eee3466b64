/* Strings and blocks of characters. */
#include <ctype.h>
#include <emmintrin.h>
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

/* Are the next 16 bytes in one page? Then they may be looked at if the first may. */
static bool in_page(const char *s)
{
    return (uintptr_t)s % 4096 <= 4096 - 16;
}

/* Where the first 16 bytes differ, or both strings end: one bit for each. */
static unsigned ends(const char *a, const char *b)
{
    __m128i some = _mm_loadu_si128((const __m128i *)a), others = _mm_loadu_si128((const __m128i *)b);
    __m128i same = _mm_cmpeq_epi8(some, others), last = _mm_cmpeq_epi8(some, _mm_setzero_si128());
    return (unsigned)_mm_movemask_epi8(_mm_andnot_si128(last, same)) ^ 0xffff;
}

/* In the thread's locale; whoever compares in another has other pairs that are alike, and stops elsewhere
 * only in letters that no two locales agree about. */
static size_t alike(const char *a, const char *b, size_t n, bool fold)
{
    size_t i = 0;
    while (!fold && i + 16 <= n && in_page(a + i) && in_page(b + i)) {
        unsigned end = ends(a + i, b + i);
        if (end != 0)
            return i + (size_t)__builtin_ctz(end) + 1;
        i += 16;
    }
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
