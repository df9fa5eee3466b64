/* What the cases call that headers do not declare, and helpers for them. */
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <signal.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uchar.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

#define wa ((wchar_t *)a)
#define wb ((wchar_t *)b)
#define wc ((wchar_t *)c)

char *__memcpy_chk(char *, const char *, size_t, size_t),
    *__memmove_chk(char *, const char *, size_t, size_t);
char *__mempcpy_chk(char *, const char *, size_t, size_t), *__memset_chk(char *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t),
    *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t), *__strncat_chk(char *, const char *, size_t, size_t);
wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmempcpy_chk(wchar_t *, const wchar_t *, size_t, size_t),
    *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);
wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t), *__wcpcpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcpncpy_chk(wchar_t *, const wchar_t *, size_t, size_t),
    *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncat_chk(wchar_t *, const wchar_t *, size_t, size_t);
void __explicit_bzero_chk(char *, size_t, size_t);
char *__rawmemchr(const char *, int), *__strdup(const char *), *__strndup(const char *, size_t);
int __xpg_strerror_r(int, char *, size_t);

int __wctomb_chk(char *, wchar_t, size_t);
size_t __wcrtomb_chk(char *, wchar_t, mbstate_t *, size_t);
size_t __mbstowcs_chk(wchar_t *, const char *, size_t, size_t),
    __wcstombs_chk(char *, const wchar_t *, size_t, size_t);
size_t __mbsrtowcs_chk(wchar_t *, const char **, size_t, mbstate_t *, size_t);
size_t __mbsnrtowcs_chk(wchar_t *, const char **, size_t, size_t, mbstate_t *, size_t);
size_t __wcsrtombs_chk(char *, const wchar_t **, size_t, mbstate_t *, size_t);
size_t __wcsnrtombs_chk(char *, const wchar_t **, size_t, size_t, mbstate_t *, size_t);

int __printf_chk(int flag, const char *format, ...), __vprintf_chk(int flag, const char *format, va_list);
int __fprintf_chk(FILE *file, int flag, const char *format, ...),
    __vfprintf_chk(FILE *file, int flag, const char *format, va_list);
int __dprintf_chk(int fd, int flag, const char *format, ...),
    __vdprintf_chk(int fd, int flag, const char *format, va_list);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...),
    __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...),
    __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list);
int __asprintf_chk(char **to, int flag, const char *format, ...),
    __vasprintf_chk(char **to, int flag, const char *format, va_list);
int __wprintf_chk(int flag, const wchar_t *format, ...),
    __vwprintf_chk(int flag, const wchar_t *format, va_list);
int __fwprintf_chk(FILE *file, int flag, const wchar_t *format, ...),
    __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list);
int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...),
    __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, va_list);
int __isoc99_scanf(const char *format, ...), __isoc99_vscanf(const char *format, va_list);
int __isoc99_fscanf(FILE *file, const char *format, ...),
    __isoc99_vfscanf(FILE *file, const char *format, va_list);
int __isoc99_sscanf(const char *s, const char *format, ...),
    __isoc99_vsscanf(const char *s, const char *format, va_list);
int __isoc99_wscanf(const wchar_t *format, ...), __isoc99_vwscanf(const wchar_t *format, va_list);
int __isoc99_fwscanf(FILE *file, const wchar_t *format, ...),
    __isoc99_vfwscanf(FILE *file, const wchar_t *format, va_list);
int __isoc99_swscanf(const wchar_t *s, const wchar_t *format, ...),
    __isoc99_vswscanf(const wchar_t *s, const wchar_t *format, va_list);

void __syslog_chk(int, int, const char *, ...), __vsyslog_chk(int, int, const char *, va_list);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *),
    __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *), *__fgets_unlocked_chk(char *, size_t, int, FILE *);
wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *), *__fgetws_unlocked_chk(wchar_t *, size_t, int, FILE *);
char *gets(char *), *__gets_chk(char *, size_t), *__getcwd_chk(char *, size_t, size_t),
    *__getwd_chk(char *, size_t);
char *__realpath_chk(const char *, char *, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
int __gethostname_chk(char *, size_t, size_t), __getdomainname_chk(char *, size_t, size_t);
int __getlogin_r_chk(char *, size_t, size_t), __getgroups_chk(int, gid_t *, size_t);
size_t __confstr_chk(int, char *, size_t, size_t);

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

#include "fd_cases.h"

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
LIST(int, vfprintf, (FILE * file, const char *format), (file, format))
LIST(int, vdprintf, (int fd, const char *format), (fd, format))
LIST(int, vsprintf, (char *to, const char *format), (to, format))
LIST(int, vsnprintf, (char *to, size_t n, const char *format), (to, n, format))
LIST(int, vasprintf, (char **to, const char *format), (to, format))
LIST(int, __vprintf_chk, (int flag, const char *format), (flag, format))
LIST(int, __vfprintf_chk, (FILE * file, int flag, const char *format), (file, flag, format))
LIST(int, __vdprintf_chk, (int fd, int flag, const char *format), (fd, flag, format))
LIST(int, __vsprintf_chk, (char *to, int flag, size_t room, const char *format), (to, flag, room, format))
LIST(int, __vsnprintf_chk, (char *to, size_t n, int flag, size_t room, const char *format),
     (to, n, flag, room, format))
LIST(int, __vasprintf_chk, (char **to, int flag, const char *format), (to, flag, format))
LIST(int, vwprintf, (const wchar_t *format), (format))
LIST(int, vfwprintf, (FILE * file, const wchar_t *format), (file, format))
LIST(int, vswprintf, (wchar_t * to, size_t n, const wchar_t *format), (to, n, format))
LIST(int, __vwprintf_chk, (int flag, const wchar_t *format), (flag, format))
LIST(int, __vfwprintf_chk, (FILE * file, int flag, const wchar_t *format), (file, flag, format))
LIST(int, __vswprintf_chk, (wchar_t * to, size_t n, int flag, size_t room, const wchar_t *format),
     (to, n, flag, room, format))
LIST(int, vscanf, (const char *format), (format))
LIST(int, __isoc99_vscanf, (const char *format), (format))
LIST(int, vfscanf, (FILE * file, const char *format), (file, format))
LIST(int, __isoc99_vfscanf, (FILE * file, const char *format), (file, format))
LIST(int, vsscanf, (const char *s, const char *format), (s, format))
LIST(int, __isoc99_vsscanf, (const char *s, const char *format), (s, format))
LIST(int, vwscanf, (const wchar_t *format), (format))
LIST(int, __isoc99_vwscanf, (const wchar_t *format), (format))
LIST(int, vfwscanf, (FILE * file, const wchar_t *format), (file, format))
LIST(int, __isoc99_vfwscanf, (FILE * file, const wchar_t *format), (file, format))
LIST(int, vswscanf, (const wchar_t *s, const wchar_t *format), (s, format))
LIST(int, __isoc99_vswscanf, (const wchar_t *s, const wchar_t *format), (s, format))

/* The same for functions that return nothing. */
#define LIST_VOID(name, parameters, arguments)                                                               \
    static void list_##name(ALL parameters, ...)                                                             \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, format);                                                                              \
        name(ALL arguments, list);                                                                           \
        va_end(list);                                                                                        \
    }
LIST_VOID(vsyslog, (int priority, const char *format), (priority, format))
LIST_VOID(__vsyslog_chk, (int priority, int flag, const char *format), (priority, flag, format))

/* Nothing gets to stderr meanwhile. */
QUIET static void quiet(int on)
{
    static int before;
    if (on)
        before = dup(2);
    dup2(on ? sink_fd : before, 2);
    if (!on)
        close(before);
}

QUIET static void line_in(char *place, char *line)
{
    *(char **)place = line;
    ((size_t *)place)[1] = 64;
}

/* --- files, the system --- */

static char path[4096], text[4096];
static DIR *opened;

QUIET static void directory(void)
{
    if (opened == NULL)
        opened = opendir("/");
    rewinddir(opened);
}

QUIET static void numeric(char *place)
{
    clear(place);
    ((struct addrinfo *)place)->ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
}

QUIET static void local(char *place)
{
    struct sockaddr_in *in = (struct sockaddr_in *)place;
    clear(place);
    in->sin_family = AF_INET;
    in->sin_port = htons(80);
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

QUIET static iconv_t latin(void)
{
    static iconv_t made;
    return made != NULL ? made : (made = iconv_open("UTF-8", "LATIN1"));
}

QUIET static void iconv_over(char *from, size_t left, char *to, size_t room)
{
    *(char **)c = from;
    ((size_t *)c)[1] = left;
    ((char **)c)[2] = to;
    ((size_t *)c)[3] = room;
}

/* Without a look at what is compared: accesses are libc's alone. */
static int compare_nothing(const void *x, const void *y)
{
    return x < y ? -1 : 1;
}

static int compare_equal(const void *x, const void *y)
{
    (void)x;
    (void)y;
    return 0;
}

static int compare_nothing_with(const void *x, const void *y, void *unused)
{
    (void)unused;
    return x < y ? -1 : 1;
}

static void visit(const void *node, VISIT which, int depth)
{
    (void)node;
    (void)which;
    (void)depth;
}

static void visit_with(const void *node, VISIT which, void *unused)
{
    (void)node;
    (void)which;
    (void)unused;
}
