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

static _Alignas(64) char memory[PLACES][PLACE];
static char *const a = memory[0], *const b = memory[1], *const c = memory[2];

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

/* --- one try --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *planted;
static int plant_write, stop, step;
static int raced, raced_elsewhere;

void pf_on_race(const void *access, size_t size, const void *byte);
QUIET void pf_on_race(const void *access, size_t size, const void *byte)
{
    (void)access;
    (void)size;
    if (byte == planted)
        raced = 1;
    else
        raced_elsewhere = 1;
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
    for (int at = 0;; at += 4) {
        unseen_wait(at + 1);
        order();
        if (stop)
            return unused;
        touch(planted, plant_write);
        unseen_signal(at + 2);
        unseen_wait(at + 3);
        order();
        unseen_signal(at + 4);
    }
}

QUIET static int try(const struct test_case *test, char *byte, int write)
{
    test->prepare();
    order();
    planted = byte;
    plant_write = write;
    raced = raced_elsewhere = 0;
    unseen_signal(step + 1);
    unseen_wait(step + 2);
    test->call();
    order();
    unseen_signal(step + 3);
    unseen_wait(step + 4);
    step += 4;
    order();
    return raced_elsewhere ? -1 : raced;
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

QUIET static int check_byte(const struct test_case *test, int place, int i)
{
    int want = expected[place][i];
    int with_write = try(test, &memory[place][i], 1), with_read = try(test, &memory[place][i], 0);
    if (with_write == (want > 0) && with_read == (want == 2))
        return 0;
    fprintf(out, "%s: byte %c[%d] is %s, not %s\n", test->name, 'a' + place, i,
            with_write < 0 || with_read < 0 ? "not the one that races"
            : with_read                     ? "written"
            : with_write                    ? "read"
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
    for (int place = 0; place < PLACES; place++)
        for (int i = 0; i < used[place] + behind[place]; i++)
            wrong += check_byte(test, place, i);
    return wrong;
}

QUIET int main(int count, char **arguments)
{
    int wrong = 0, run = 0;
    pthread_t thread;
    out = fdopen(dup(1), "w");
    if (out == NULL || freopen("/dev/null", "w", stdout) == NULL)
        return 2;
    open_sinks();
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < CASES; i++) {
        if (count > 1 && !begins(cases[i].name, arguments[1]))
            continue;
        wrong += check(&cases[i]);
        run++;
    }
    stop = 1;
    order();
    unseen_signal(step + 1);
    pthread_join(thread, NULL);
    if (count == 1)
        wrong += count_missing();
    fprintf(out, "%d cases, %d rows, %d tries, %d wrong\n", run, ROWS, step / 4, wrong);
    return wrong != 0;
}
