/* What libc functions return, store and leave in errno: the same with the detector as without. Prints it all;
 * the test compares what two builds print. Strings that have no end stand at the end of mapped memory: who
 * reads on, crashes. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <search.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char *edge; /* the first byte that is not there */

#define NUMBER(call)                                                                                         \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long long value = (long long)(call);                                                                 \
        printf("%s = %lld, errno %d\n", #call, value, errno);                                                \
    } while (0)
#define REAL_VALUE(call)                                                                                     \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long double value = (call);                                                                          \
        printf("%s = %La, errno %d\n", #call, value, errno);                                                 \
    } while (0)
#define OFFSET(call, from)                                                                                   \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        const void *value = (call);                                                                          \
        printf("%s = %s %td, errno %d\n", #call, value != NULL ? "at" : "none",                              \
               value != NULL ? (const char *)value - (const char *)(from) : 0, errno);                       \
    } while (0)
#define SIGN(call) NUMBER(((call) > 0) - ((call) < 0))

static char to[256];
static wchar_t wide_to[64];

static void show(const char *what)
{
    printf("%s:", what);
    for (int i = 0; i < 32; i++)
        printf(" %02x", (unsigned char)to[i]);
    printf("\n");
    memset(to, '#', sizeof to);
}

static const char *unended(const char *text)
{
    char *at = edge - strlen(text);
    memcpy(at, text, strlen(text));
    return at;
}

static const wchar_t *wide_unended(const wchar_t *text)
{
    wchar_t *at = (wchar_t *)edge - wcslen(text);
    wmemcpy(at, text, wcslen(text));
    return at;
}

/* --- strings --- */

static void blocks(void)
{
    char text[] = "abcdefgh";
    OFFSET(memcpy(to, "abc", 4), to);
    show("memcpy");
    memcpy(to, text, 0);
    show("memcpy nothing");
    memmove(text + 2, text, 5);
    puts(text);
    memmove(text, text + 1, 6);
    puts(text);
    OFFSET(mempcpy(to, "abc", 3), to);
    OFFSET(memccpy(to, "abcdef", 'c', 6), to);
    OFFSET(memccpy(to, "abcdef", 'x', 6), to);
    show("memccpy");
    SIGN(memcmp("abc", "abd", 3));
    SIGN(memcmp("a\0b", "a\0c", 3));
    SIGN(memcmp("abc", "xyz", 0));
    OFFSET(memchr(text, 'x', 8), text);
    OFFSET(memchr(text, 'e', 8), text);
    OFFSET(memchr(text, 'e', 0), text);
    OFFSET(memrchr("abcabc", 'b', 6), "abcabc");
    OFFSET(memmem("abcabc", 6, "ca", 2), "abcabc");
    OFFSET(memmem("abcabc", 6, "", 0), "abcabc");
    const char *end = unended("wxyz");
    OFFSET(memchr(end, 'z', 100), end);
    OFFSET(memchr(end, 'q', 4), end);
    OFFSET(rawmemchr(end, 'y'), end);
    OFFSET(memccpy(to, end, 'z', 100), to);
    explicit_bzero(to, 3);
    bzero(to + 5, 2);
    show("bzero");
    swab("abcdef", to, 5);
    show("swab");
}

static void lengths(void)
{
    const char *end = unended("wxyz");
    NUMBER(strlen(""));
    NUMBER(strlen("abc"));
    NUMBER(strnlen("abc", 0));
    NUMBER(strnlen("abc", 3));
    NUMBER(strnlen("abc", SIZE_MAX));
    NUMBER(strnlen(end, 4));
    SIGN(strncmp(end, "wxyzz", 4));
    SIGN(strncmp(end, "wxya", 100));
    SIGN(strncasecmp(end, "WXYZ!", 4));
    SIGN(strcmp("", "a"));
    SIGN(strcmp("abc", "abc"));
    SIGN(strcasecmp("aBc", "AbD"));
    SIGN(strcoll("abc", "abd"));
    SIGN(strverscmp("a9", "a10"));
    NUMBER(strspn("aabc", "ab"));
    NUMBER(strspn("abc", ""));
    NUMBER(strcspn("abc", "c"));
    OFFSET(strchr("abc", 'c'), "abc");
    OFFSET(strchr("abc", 0), "abc");
    OFFSET(strchr("abc", 'x'), "abc");
    OFFSET(strrchr("abcabc", 'a'), "abcabc");
    OFFSET(strchrnul("abc", 'x'), "abc");
    OFFSET(strstr("abcabc", "ca"), "abcabc");
    OFFSET(strstr("abc", ""), "abc");
    OFFSET(strstr("", "abc"), "");
    OFFSET(strcasestr("abcABC", "CA"), "abcABC");
    OFFSET(strpbrk("abc", "xc"), "abc");
    NUMBER(strxfrm(to, "abc", 2));
    show("strxfrm");
}

static void copies(void)
{
    const char *end = unended("wxyz");
    OFFSET(strcpy(to, ""), to);
    OFFSET(stpcpy(to, "abc"), to);
    show("stpcpy");
    strncpy(to, "abc", 7);
    show("strncpy");
    OFFSET(stpncpy(to, end, 4), to);
    show("stpncpy");
    OFFSET(stpncpy(to, "ab", 4), to);
    strcpy(to, "abc");
    strcat(to, "de");
    strncat(to, end, 4);
    strncat(to, "f", 9);
    strncat(to, "f", 0);
    show("strncat");
    char *copy = strndup(end, 4);
    puts(copy);
    free(copy);
    copy = strndup("abc", 0);
    puts(copy);
    free(copy);
    copy = strdup("");
    puts(copy);
    free(copy);
    NUMBER(strerror_r(1, to, 3) == to);
    puts(strerror_r(ENOENT, to, sizeof to));
    puts(strerror_r(12345, to, sizeof to));
}

static void tokens(void)
{
    char text[] = ",ab,,c,", *state, *at;
    for (at = strtok_r(text, ",", &state); at != NULL; at = strtok_r(NULL, ",", &state))
        printf("token %s, then \"%s\"\n", at, state);
    char again[] = "a b c";
    printf("%s", strtok(again, " "));
    while ((at = strtok(NULL, " ")) != NULL)
        printf("|%s", at);
    printf("|%d\n", strtok(NULL, " ") == NULL);
    char third[] = ",ab,,c";
    state = third;
    while ((at = strsep(&state, ",")) != NULL)
        printf("field \"%s\"\n", at);
    wchar_t wide[] = L",ab,,c", *wide_state, *wide_at;
    for (wide_at = wcstok(wide, L",", &wide_state); wide_at != NULL;
         wide_at = wcstok(NULL, L",", &wide_state))
        printf("wide %ls\n", wide_at);
}

/* --- wide characters --- */

static void wides(void)
{
    const wchar_t *end = wide_unended(L"wxyz");
    NUMBER(wcslen(L""));
    NUMBER(wcsnlen(end, 4));
    SIGN(wcsncmp(end, L"wxyzz", 4));
    SIGN(wmemcmp(end, L"wxya", 4));
    NUMBER(wmemchr(end, L'z', 4) - end);
    NUMBER(wcscpy(wide_to, L"abc") - wide_to);
    NUMBER(wcpcpy(wide_to, L"abc") - wide_to);
    NUMBER(wcsncat(wide_to, end, 4) - wide_to);
    printf("%ls %.3ls %d\n", wide_to, wide_to, (int)wcslen(wide_to));
    NUMBER(mbstowcs(wide_to, "a\u00e9\u20ac", 9));
    NUMBER(mbstowcs(NULL, "a\u00e9\u20ac", 0));
    NUMBER(mbstowcs(wide_to, "a\xff", 9));
    NUMBER(wcstombs(to, L"a\u00e9\u20ac", 4));
    NUMBER(wcstombs(to, L"a\u00e9\u20ac", 99));
    show("wcstombs");
    mbstate_t state = {0};
    wchar_t c = 0;
    NUMBER(mbrtowc(&c, "\xe2", 1, &state));
    NUMBER(mbrtowc(&c, "\x82\xac", 2, &state));
    NUMBER(c);
    NUMBER(mbtowc(&c, "", 1));
    NUMBER(mblen(unended("\xe2\x82\xac"), 3));
    const char *from = unended("xy"), *at = from;
    NUMBER(mbsnrtowcs(wide_to, &at, 2, 9, &state));
    NUMBER(at - from);
    at = "xyz";
    NUMBER(mbsrtowcs(wide_to, &at, 9, &state));
    NUMBER(at == NULL);
    SIGN(wcscasecmp(L"aBc", L"AbD"));
    NUMBER(wcstol(L" 12x", NULL, 10));
    REAL_VALUE(wcstold(L"1.5", NULL));
    NUMBER(swprintf(wide_to, 64, L"%d %s %ls", 5, "ab", L"cd"));
    NUMBER(swprintf(wide_to, 3, L"%s", "abcdef"));
}

/* --- numbers --- */

static void numbers(void)
{
    char *end;
    const char *s = " -0x1fz";
    NUMBER(strtol(s, &end, 0));
    OFFSET(end, s);
    NUMBER(strtol("999999999999999999999", NULL, 10));
    NUMBER(strtoul("-1", NULL, 10));
    NUMBER(strtol("zz", NULL, 36));
    end = (char *)s;
    NUMBER(strtol(s, &end, 99));
    OFFSET(end, s);
    NUMBER(strtol("", &end, 10));
    NUMBER(strtoimax("12", NULL, 10));
    NUMBER(atoi(" +12"));
    NUMBER(atoll("-9223372036854775808"));
    REAL_VALUE(strtod("1e400", NULL));
    REAL_VALUE(strtof("0x1.8p1", &end));
    REAL_VALUE(strtold("1.1", NULL));
    REAL_VALUE(atof("nan"));
    REAL_VALUE(strtod("inf", NULL));
}

/* --- formats --- */

static int listed(char *place, size_t n, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = vsnprintf(place, n, format, list);
    va_end(list);
    return result;
}

static void formats(void)
{
    int a = 0, b = 0;
    short c = 0;
    long double ld = 0;
    double d = 0;
    char *made = NULL;
    const char *null = NULL;
    NUMBER(snprintf(to, 4, "%s", "abcdef"));
    NUMBER(snprintf(NULL, 0, "%d", 12345));
    NUMBER(snprintf(to, sizeof to, "%2$s %1$d %3$*1$s|", 4, "x", "y"));
    puts(to);
    NUMBER(snprintf(to, sizeof to, "%s %.2s %*s %-*s|%.*s", "abc", "abc", 5, "ab", 5, "cd", 1, "xyz"));
    puts(to);
    NUMBER(snprintf(to, sizeof to, "%.4s %.3s", unended("wxyz"), unended("xyz")));
    puts(to);
    NUMBER(snprintf(to, sizeof to, "%Lf %f %e %g %a %c %hhd %hd %ld %lld %zu %jd %td %p %%", 1.5L, 2.5, 1e10,
                    0.5, 1.0, 'x', 300, 70000, 1l, 2ll, (size_t)3, (intmax_t)4, (ptrdiff_t)5, (void *)6));
    puts(to);
    NUMBER(snprintf(to, sizeof to, "abc%nde%hn", &a, &c));
    printf("%d %d\n", a, c);
    errno = ENOENT;
    printf("%m|%s|%ls\n", null, L"wide");
    NUMBER(asprintf(&made, "%d-%s", 7, "x"));
    puts(made);
    free(made);
    NUMBER(listed(to, sizeof to, "%s %d", "list", 9));
    puts(to);
    NUMBER(sscanf("12 abc 1.5 2.5 xyz", "%d %s %lf %Lf %3c", &a, to, &d, &ld, to + 100));
    printf("%d %s %f %Lf %.3s\n", a, to, d, ld, to + 100);
    NUMBER(sscanf("12", "%d %d%n", &a, &b, &a));
    NUMBER(sscanf("", "%d", &a));
    NUMBER(sscanf("a]b-c", "%[]a-b-]%n", to, &b));
    printf("%s %d\n", to, b);
    NUMBER(sscanf("7 8", "%*d %hd%n", &c, &b));
    printf("%d %d\n", c, b);
    NUMBER(sscanf("word", "%ms", &made));
    puts(made);
    free(made);
    NUMBER(sscanf("5 6", "%2$d %1$d", &a, &b));
    printf("%d %d\n", a, b);
}

/* --- streams, files, time --- */

static void streams(void)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = tmpfile();
    NUMBER(fputs("first\nsecond\n\nlast", file));
    NUMBER(fwrite("abcd", 2, 2, file));
    NUMBER(fprintf(file, "%s", "!"));
    rewind(file);
    NUMBER(getline(&line, &room, file));
    NUMBER(strlen(line));
    OFFSET(fgets(to, 4, file), to);
    OFFSET(fgets(to, sizeof to, file), to);
    NUMBER(getdelim(&line, &room, 'a', file));
    NUMBER(fread(to, 3, 2, file));
    show("fread");
    NUMBER(feof(file));
    NUMBER(getline(&line, &room, file));
    OFFSET(fgets(to, 4, file), to);
    NUMBER(fclose(file));
    free(line);
    OFFSET(fopen("/nowhere/x", "r"), NULL);
    struct stat status;
    NUMBER(stat("/nowhere/x", &status));
    NUMBER(stat("/", &status));
    NUMBER(S_ISDIR(status.st_mode));
    NUMBER(readlink("/", to, sizeof to));
    NUMBER(access("/nowhere/x", 0));
    OFFSET(getcwd(to, 1), to);
    char *real = realpath("/../.", NULL);
    puts(real);
    free(real);
}

static void times(void)
{
    time_t t = 86400 * 365;
    struct tm tm;
    gmtime_r(&t, &tm);
    printf("%s", asctime_r(&tm, to));
    NUMBER(timegm(&tm));
    NUMBER(strftime(to, sizeof to, "%Y-%m-%d", &tm));
    puts(to);
    NUMBER(strftime(to, 3, "%Y", &tm));
    NUMBER(*strptime("2001-02-03x", "%Y-%m-%d", &tm));
    NUMBER(tm.tm_mon);
    struct timespec spec = {0, -1};
    NUMBER(nanosleep(&spec, NULL));
    NUMBER(clock_gettime(9999, &spec));
}

/* --- sorting, the environment --- */

static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static void arrays(void)
{
    int array[300], key = 77;
    size_t n = 3;
    void *root = NULL;
    for (int i = 0; i < 300; i++)
        array[i] = i * 7919 % 300;
    qsort(array, 300, sizeof *array, compare);
    for (int i = 0; i < 300; i++)
        if (array[i] != i)
            printf("array[%d] is %d\n", i, array[i]);
    OFFSET(bsearch(&key, array, 300, sizeof *array, compare), array);
    OFFSET(lsearch(&key, array, &n, sizeof *array, compare), array);
    NUMBER(n);
    for (int i = 0; i < 100; i++)
        tsearch(&array[i], &root, compare);
    key = 50;
    NUMBER(tfind(&key, &root, compare) != NULL);
    NUMBER(tdelete(&key, &root, compare) != NULL);
    NUMBER(tfind(&key, &root, compare) != NULL);
}

static void environment(void)
{
    NUMBER(setenv("PF_RESULT", "abc", 1));
    puts(getenv("PF_RESULT"));
    NUMBER(setenv("", "abc", 1));
    NUMBER(unsetenv("PF_RESULT"));
    OFFSET(getenv("PF_RESULT"), NULL);
}

int main(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    edge = pages + 4096;
    if (pages == MAP_FAILED || mprotect(edge, 4096, PROT_NONE) != 0 || setlocale(LC_ALL, "C.UTF-8") == NULL)
        return 1;
    memset(to, '#', sizeof to);
    blocks();
    lengths();
    copies();
    tokens();
    wides();
    numbers();
    formats();
    streams();
    times();
    arrays();
    environment();
    return 0;
}
