/* Which bytes each row of the table of libc functions (src/runtime/intercept/libc_*.def) reads and writes.
 *
 *   CASE(name, variant, prepare, call, expected)
 *
 * says it for one call: `expected` is, for the places a, b and c, one letter a byte, with a count behind it
 * if there are several: r read, w written, . neither; R and W are wide characters. "a:r4 b:.w3". Each byte of
 * them, and some behind (unless there is a ~), is tried: another thread writes it, or reads it, unordered
 * with the call (tests/programs/unseen.h), and there has to be a race or none, at that byte. Between two
 * tries everything is ordered.
 *
 * Runs with report_bugs=0; prints what is wrong. Every row must have a case. An argument picks cases by the
 * beginning of their name.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../programs/unseen.h"

#define QUIET __attribute__((no_sanitize("thread"), noinline, unused))

enum { PLACE = 512, PLACES = 3, BEHIND = 3 };

enum { TRIES = 600 };

static _Alignas(64) char memory[TRIES][PLACES][PLACE];
static char *a, *b, *c; /* the places of this try */

#include "cases.h"

/* --- the cases --- */

struct test_case {
    const char *name;
    void (*prepare)(void);
    void (*call)(void);
    const char *expected;
};

#define CASE(name, variant, prepare, call, expected)                                                         \
    static QUIET void prepare_##name##variant(void)                                                          \
    {                                                                                                        \
        prepare;                                                                                             \
    }                                                                                                        \
    static void call_##name##variant(void)                                                                   \
    {                                                                                                        \
        call;                                                                                                \
    }
#include "all.h"
#undef CASE

static const struct test_case cases[] = {
#define CASE(name, variant, prepare, call, expected)                                                         \
    {#name, prepare_##name##variant, call_##name##variant, expected},
#include "all.h"
#undef CASE
};
enum { CASES = sizeof cases / sizeof *cases };

/* --- the rows --- */

#define TEXT(name)                      #name,
#define ROW(type, name, ...)            TEXT(name)
#define ROW_VOID(name, ...)             TEXT(name)
#define ROW_CALL(type, name, ...)       TEXT(name)
#define ROW_OTHER(type, name, ...)      TEXT(name)
#define FORMAT(type, name, listed, ...) TEXT(name) TEXT(listed)

static const char *const rows[] = {
#define NAME(narrow, wide) narrow
#include "runtime/intercept/libc_text.def"
#include "runtime/intercept/libc_string.def"
#undef NAME
#define NAME(narrow, wide) wide
#include "runtime/intercept/libc_text.def"
#undef NAME
#include "runtime/intercept/libc_convert.def"
#include "runtime/intercept/libc_number.def"
#include "runtime/intercept/libc_printf.def"
#include "runtime/intercept/libc_stdio.def"
#include "runtime/intercept/libc_time.def"
#include "runtime/intercept/libc_files.def"
#include "runtime/intercept/libc_system.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static FILE *out; /* stdout, before cases write to it */

QUIET static int begins(const char *text, const char *beginning)
{
    while (*beginning != '\0' && *text == *beginning) {
        text++;
        beginning++;
    }
    return *beginning == '\0';
}

QUIET static int count_missing(void)
{
    int missing = 0;
    for (int i = 0; i < ROWS; i++) {
        int found = 0;
        for (int k = 0; k < CASES; k++)
            found |= begins(cases[k].name, rows[i]) && begins(rows[i], cases[k].name);
        if (!found)
            fprintf(out, "%s: no case\n", rows[i]);
        missing += !found;
    }
    return missing;
}

/* --- all bytes of a case ---
 *
 * Each has memory of its own, so that the other thread can touch all of them before the first call: the
 * threads take turns only twice a case. */

static struct {
    int place, at;
    int raced[2], elsewhere; /* [1]: with a write */
} tries[TRIES];
static int count, now, plant_write, stop, step;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

QUIET static char *planted(int i)
{
    return &memory[i][tries[i].place][tries[i].at];
}

void pf_on_race(const void *access, size_t size, const void *byte);
QUIET void pf_on_race(const void *access, size_t size, const void *byte)
{
    (void)access;
    (void)size;
    if (byte == planted(now))
        tries[now].raced[plant_write] = 1;
    else
        tries[now].elsewhere = 1;
}

/* What this thread did is known to whoever does the same later, and the other way round. */
static void order(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void touch(volatile char *byte, int write)
{
    char value = *byte;
    if (write)
        *byte = value;
}

QUIET static void *other(void *unused)
{
    for (int at = 0;; at += 2) {
        unseen_wait(at + 1);
        order();
        if (stop)
            return unused;
        for (int i = 0; i < count; i++)
            touch(planted(i), plant_write);
        order(); /* all of it is checked now; the other one does not look until it has called */
        unseen_signal(at + 2);
    }
}

void AnnotateIgnoreReadsBegin(const char *file, int line), AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line),
    AnnotateIgnoreWritesEnd(const char *file, int line);

/* Its own accesses are not the case's. */
QUIET static void prepare(const struct test_case *test)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    test->prepare();
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

QUIET static void try_all(const struct test_case *test, int write)
{
    plant_write = write;
    order();
    unseen_signal(step + 1);
    unseen_wait(step + 2);
    step += 2;
    for (now = 0; now < count; now++) {
        a = memory[now][0];
        b = memory[now][1];
        c = memory[now][2];
        prepare(test);
        test->call();
    }
    now = 0;
    order();
}

/* --- expectations --- */

/* 0 nothing, 1 read, 2 written */
static char expected[PLACES][PLACE];
static int used[PLACES], behind[PLACES];

QUIET static const char *expect_run(const char *text, int place)
{
    int kind = *text == 'r' || *text == 'R' ? 1 : *text == 'w' || *text == 'W' ? 2 : 0, count = 0;
    int width = *text == 'R' || *text == 'W' || *text == ':' ? 4 : 1;
    for (text++; *text >= '0' && *text <= '9'; text++)
        count = 10 * count + (*text - '0');
    for (int i = 0; i < (count > 0 ? count : 1) * width; i++)
        expected[place][used[place]++] = (char)kind;
    return text;
}

QUIET static void expect(const char *text)
{
    int place = 0;
    for (int p = 0; p < PLACES; p++) {
        used[p] = behind[p] = 0;
        for (int i = 0; i < PLACE; i++)
            expected[p][i] = 0;
    }
    while (*text != '\0') {
        if (text[0] >= 'a' && text[0] <= 'c' && text[1] == ':') {
            place = *text - 'a';
            behind[place] = BEHIND;
            text += 2;
        } else if (*text == ' ') {
            text++;
        } else if (*text == '~') {
            text++;
            behind[place] = 0;
        } else {
            text = expect_run(text, place);
        }
    }
}

QUIET static int is_wrong(const struct test_case *test, int i)
{
    int want = expected[tries[i].place][tries[i].at];
    int with_write = tries[i].raced[1], with_read = tries[i].raced[0];
    if (!tries[i].elsewhere && with_write == (want > 0) && with_read == (want == 2))
        return 0;
    fprintf(out, "%s: byte %c[%d] is %s, not %s\n", test->name, 'a' + tries[i].place, tries[i].at,
            tries[i].elsewhere ? "not the one that races"
            : with_read        ? "written"
            : with_write       ? "read"
                               : "left alone",
            want == 2   ? "written"
            : want == 1 ? "read"
                        : "left alone");
    return 1;
}

QUIET static int check(const struct test_case *test)
{
    int wrong = 0;
    expect(test->expected);
    count = 0;
    for (int place = 0; place < PLACES; place++)
        for (int i = 0; i < used[place] + behind[place] && count < TRIES; i++) {
            tries[count].place = place;
            tries[count].at = i;
            tries[count].raced[0] = tries[count].raced[1] = tries[count].elsewhere = 0;
            count++;
        }
    try_all(test, 1);
    try_all(test, 0);
    for (int i = 0; i < count; i++)
        wrong += is_wrong(test, i);
    return wrong;
}

QUIET int main(int given, char **arguments)
{
    int wrong = 0, run = 0, all = 0;
    pthread_t thread;
    out = fdopen(dup(1), "w");
    if (out == NULL || freopen("/dev/null", "w", stdout) == NULL)
        return 2;
    open_sinks();
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < CASES; i++) {
        if (given > 1 && !begins(cases[i].name, arguments[1]))
            continue;
        wrong += check(&cases[i]);
        all += count;
        run++;
    }
    stop = 1;
    order();
    unseen_signal(step + 1);
    pthread_join(thread, NULL);
    if (given == 1)
        wrong += count_missing();
    fprintf(out, "%d cases, %d rows, %d bytes, %d wrong\n", run, ROWS, all, wrong);
    return wrong != 0;
}
