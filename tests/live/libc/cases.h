/* What the cases call that headers do not declare, and helpers for them. */
#pragma once

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#define wa ((wchar_t *)memory[0])
#define wb ((wchar_t *)memory[1])
#define wc ((wchar_t *)memory[2])

char *__memcpy_chk(char *, const char *, size_t, size_t), *__memmove_chk(char *, const char *, size_t, size_t);
char *__mempcpy_chk(char *, const char *, size_t, size_t), *__memset_chk(char *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t), *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t), *__strncat_chk(char *, const char *, size_t, size_t);
wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmempcpy_chk(wchar_t *, const wchar_t *, size_t, size_t), *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);
wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t), *__wcpcpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcpncpy_chk(wchar_t *, const wchar_t *, size_t, size_t), *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncat_chk(wchar_t *, const wchar_t *, size_t, size_t);
void __explicit_bzero_chk(char *, size_t, size_t);
char *__rawmemchr(const char *, int), *__strdup(const char *), *__strndup(const char *, size_t);
int __xpg_strerror_r(int, char *, size_t);

QUIET static locale_t locale(void)
{
    static locale_t made;
    return made != NULL ? made : (made = newlocale(LC_ALL_MASK, "C", NULL));
}

static void *volatile kept; /* results that nobody looks at */
static volatile long kept_number;
#define KEEP(pointer) kept = (void *)(pointer)
#define NUM(number)   kept_number = (long)(number)

QUIET static void put(char *place, const char *text)
{
    for (int i = 0; i < PLACE; i++)
        place[i] = '#';
    do
        *place++ = *text;
    while (*text++ != '\0');
}

QUIET static void put_wide(wchar_t *place, const char *text)
{
    put((char *)place, "");
    do
        *place++ = (unsigned char)*text;
    while (*text++ != '\0');
}

#define A(text)  put(a, text)
#define B(text)  put(b, text)
#define C(text)  put(c, text)
#define WA(text) put_wide(wa, text)
#define WB(text) put_wide(wb, text)
