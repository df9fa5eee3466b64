/* What the cases call that headers do not declare, and helpers for them. */
#pragma once

#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uchar.h>
#include <sys/mman.h>
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

int __wctomb_chk(char *, wchar_t, size_t);
size_t __wcrtomb_chk(char *, wchar_t, mbstate_t *, size_t);
size_t __mbstowcs_chk(wchar_t *, const char *, size_t, size_t), __wcstombs_chk(char *, const wchar_t *, size_t, size_t);
size_t __mbsrtowcs_chk(wchar_t *, const char **, size_t, mbstate_t *, size_t);
size_t __mbsnrtowcs_chk(wchar_t *, const char **, size_t, size_t, mbstate_t *, size_t);
size_t __wcsrtombs_chk(char *, const wchar_t **, size_t, mbstate_t *, size_t);
size_t __wcsnrtombs_chk(char *, const wchar_t **, size_t, size_t, mbstate_t *, size_t);

int __printf_chk(int flag, const char *format, ...), __vprintf_chk(int flag, const char *format, va_list);
int __fprintf_chk(FILE *file, int flag, const char *format, ...), __vfprintf_chk(FILE *file, int flag, const char *format, va_list);
int __dprintf_chk(int fd, int flag, const char *format, ...), __vdprintf_chk(int fd, int flag, const char *format, va_list);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...), __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...), __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list);
int __asprintf_chk(char **to, int flag, const char *format, ...), __vasprintf_chk(char **to, int flag, const char *format, va_list);
int __wprintf_chk(int flag, const wchar_t *format, ...), __vwprintf_chk(int flag, const wchar_t *format, va_list);
int __fwprintf_chk(FILE *file, int flag, const wchar_t *format, ...), __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list);
int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...), __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, va_list);
int __isoc99_scanf(const char *format, ...), __isoc99_vscanf(const char *format, va_list);
int __isoc99_fscanf(FILE *file, const char *format, ...), __isoc99_vfscanf(FILE *file, const char *format, va_list);
int __isoc99_sscanf(const char *s, const char *format, ...), __isoc99_vsscanf(const char *s, const char *format, va_list);
int __isoc99_wscanf(const wchar_t *format, ...), __isoc99_vwscanf(const wchar_t *format, va_list);
int __isoc99_fwscanf(FILE *file, const wchar_t *format, ...), __isoc99_vfwscanf(FILE *file, const wchar_t *format, va_list);
int __isoc99_swscanf(const wchar_t *s, const wchar_t *format, ...), __isoc99_vswscanf(const wchar_t *s, const wchar_t *format, va_list);

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

QUIET static void clear(char *place)
{
    for (int i = 0; i < PLACE; i++)
        place[i] = 0;
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
#define WC(text) put_wide(wc, text)

/* --- formats --- */

static FILE *sink, *wide_sink, *file; /* two that take everything, and one for each case */
static int sink_fd;

QUIET static void open_sinks(void)
{
    sink = fopen("/dev/null", "w");
    wide_sink = fopen("/dev/null", "w");
    sink_fd = fileno(sink);
}

/* A stream to read this from; one at a time. */
QUIET static FILE *input(const char *text)
{
    static FILE *last;
    if (last != NULL)
        fclose(last);
    int fd = memfd_create("input", 0);
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    if (write(fd, text, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)
        return NULL;
    return last = fdopen(fd, "r");
}

QUIET static const char *nothing(void)
{
    return NULL;
}

/* A function that takes its arguments as a list, called with them one by one. */
#define ALL(...) __VA_ARGS__
#define LIST(type, name, parameters, arguments)                                                              \
    static type list_##name(ALL parameters, ...)                                                             \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, format);                                                                              \
        type result = name(ALL arguments, list);                                                             \
        va_end(list);                                                                                        \
        return result;                                                                                       \
    }
LIST(int, vprintf, (const char *format), (format))
LIST(int, vfprintf, (FILE *file, const char *format), (file, format))
LIST(int, vdprintf, (int fd, const char *format), (fd, format))
LIST(int, vsprintf, (char *to, const char *format), (to, format))
LIST(int, vsnprintf, (char *to, size_t n, const char *format), (to, n, format))
LIST(int, vasprintf, (char **to, const char *format), (to, format))
LIST(int, __vprintf_chk, (int flag, const char *format), (flag, format))
LIST(int, __vfprintf_chk, (FILE *file, int flag, const char *format), (file, flag, format))
LIST(int, __vdprintf_chk, (int fd, int flag, const char *format), (fd, flag, format))
LIST(int, __vsprintf_chk, (char *to, int flag, size_t room, const char *format), (to, flag, room, format))
LIST(int, __vsnprintf_chk, (char *to, size_t n, int flag, size_t room, const char *format), (to, n, flag, room, format))
LIST(int, __vasprintf_chk, (char **to, int flag, const char *format), (to, flag, format))
LIST(int, vwprintf, (const wchar_t *format), (format))
LIST(int, vfwprintf, (FILE *file, const wchar_t *format), (file, format))
LIST(int, vswprintf, (wchar_t *to, size_t n, const wchar_t *format), (to, n, format))
LIST(int, __vwprintf_chk, (int flag, const wchar_t *format), (flag, format))
LIST(int, __vfwprintf_chk, (FILE *file, int flag, const wchar_t *format), (file, flag, format))
LIST(int, __vswprintf_chk, (wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format), (to, n, flag, room, format))
LIST(int, vscanf, (const char *format), (format))
LIST(int, __isoc99_vscanf, (const char *format), (format))
LIST(int, vfscanf, (FILE *file, const char *format), (file, format))
LIST(int, __isoc99_vfscanf, (FILE *file, const char *format), (file, format))
LIST(int, vsscanf, (const char *s, const char *format), (s, format))
LIST(int, __isoc99_vsscanf, (const char *s, const char *format), (s, format))
LIST(int, vwscanf, (const wchar_t *format), (format))
LIST(int, __isoc99_vwscanf, (const wchar_t *format), (format))
LIST(int, vfwscanf, (FILE *file, const wchar_t *format), (file, format))
LIST(int, __isoc99_vfwscanf, (FILE *file, const wchar_t *format), (file, format))
LIST(int, vswscanf, (const wchar_t *s, const wchar_t *format), (s, format))
LIST(int, __isoc99_vswscanf, (const wchar_t *s, const wchar_t *format), (s, format))
