/* Bytes from files, pipes and memory: every line whole, whatever the window, and the same again after a
 * rewind; what cannot be read says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/source.h"

static void assert_line(struct source *source, const char *expected)
{
    const char *line;
    size_t length;
    assert_int_equal(source_line(source, &line, &length), LINE_OK);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(line, expected, length);
    assert_true(line[length] == '\n' || line[length] == '\r');
}

static void assert_end(struct source *source)
{
    const char *line;
    size_t length;
    assert_int_equal(source_line(source, &line, &length), LINE_END);
    assert_int_equal(source_line(source, &line, &length), LINE_END);
}

static void lines_through_any_window(void **state)
{
    (void)state;
    static const char text[] = "one\n\ntwo\r\n\r\nthree\rfour\n a line that is a little longer \nlast";
    for (size_t window = 1; window < 80; window++) {
        struct source source;
        struct problem problem;
        source_memory(&source, "test", text, strlen(text));
        source.capacity = window;
        for (int round = 0; round < 2; round++) {
            assert_line(&source, "one");
            assert_line(&source, "");
            assert_line(&source, "two");
            assert_line(&source, "");
            assert_line(&source, "three\rfour");
            assert_line(&source, " a line that is a little longer ");
            assert_line(&source, "last");
            assert_end(&source);
            assert_int_equal(source.consumed, strlen(text));
            assert_true(source_rewind(&source, &problem));
        }
        source_close(&source);
        assert_int_equal(source.mem.bytes, 0);
    }
}

static void empty_input(void **state)
{
    (void)state;
    struct source source;
    source_memory(&source, "test", NULL, 0);
    assert_end(&source);
    assert_true(source_more(&source, 100));
    assert_int_equal(source_window(&source), 0);
    source_close(&source);
    source_memory(&source, "test", "\n", 1);
    assert_line(&source, "");
    assert_end(&source);
    source_close(&source);
    source_memory(&source, "test", "\r", 1);
    assert_line(&source, "");
    assert_end(&source);
    source_close(&source);
}

static void bytes_and_lines(void **state)
{
    (void)state;
    struct source source;
    source_memory(&source, "test", "0123456789abc\nrest\n", 19);
    source.capacity = 4;
    assert_true(source_more(&source, 10));
    assert_true(source_window(&source) >= 10);
    assert_memory_equal(source_take(&source, 10), "0123456789", 10);
    assert_line(&source, "abc");
    assert_true(source_more(&source, 1000)); /* more than there is */
    assert_int_equal(source_window(&source), 5);
    assert_memory_equal(source_take(&source, 5), "rest\n", 5);
    assert_end(&source);
    source_close(&source);
}

static void line_of_length(size_t size, bool newline, enum line_result expected)
{
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\n';
    struct source source;
    const char *line;
    size_t length = 0;
    source_memory(&source, "test", text, size + newline);
    assert_int_equal(source_line(&source, &line, &length), expected);
    if (expected == LINE_OK)
        assert_int_equal(length, size);
    else
        assert_string_equal(source.problem.reason, "a line of more than 16 MiB");
    source_close(&source);
    free(text);
}

static void long_lines(void **state)
{
    (void)state;
    line_of_length(1 << 20, true, LINE_OK);
    line_of_length(LONGEST_LINE, true, LINE_OK);
    line_of_length(LONGEST_LINE, false, LINE_OK);
    line_of_length(LONGEST_LINE + 1, true, LINE_FAILED);
    line_of_length(LONGEST_LINE + 1, false, LINE_FAILED);
    line_of_length(3 * LONGEST_LINE, false, LINE_FAILED);
}

/* A file in the directory for temporary files; the caller unlinks and frees it. */
static char *make_file(const char *text)
{
    const char *directory = getenv("TMPDIR");
    char *path;
    assert_true(asprintf(&path, "%s/source_test-XXXXXX", directory != NULL ? directory : P_tmpdir) > 0);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static void a_file_twice(void **state)
{
    (void)state;
    char *path = make_file("first\nsecond");
    struct source source;
    struct problem problem;
    assert_true(source_open(&source, path, true, &problem));
    assert_int_equal(source.size, 12);
    assert_int_equal(source.spool, -1); /* a file needs no copy */
    assert_line(&source, "first");
    assert_true(source_rewind(&source, &problem)); /* in the middle */
    assert_line(&source, "first");
    assert_line(&source, "second");
    assert_end(&source);
    assert_true(source_rewind(&source, &problem));
    assert_line(&source, "first");
    source_close(&source);
    unlink(path);
    free(path);
}

static void refused(const char *path, const char *reason)
{
    struct source source;
    struct problem problem = {0};
    assert_false(source_open(&source, path, false, &problem));
    assert_string_equal(problem.reason, reason);
    assert_int_equal(problem.line, 0);
}

static void what_cannot_be_opened(void **state)
{
    (void)state;
    refused("no/such/file.std", "cannot open: No such file or directory");
    refused("/", "is a directory, not a trace");
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    /* Writing end of a pipe: opens and stats well, reading fails. */
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct source source;
    struct problem problem;
    const char *line;
    size_t length;
    assert_true(source_open(&source, "/dev/null", false, &problem));
    assert_true(dup2(ends[1], source.fd) >= 0);
    assert_int_equal(source_line(&source, &line, &length), LINE_FAILED);
    assert_string_equal(source.problem.reason, "cannot read: Bad file descriptor");
    assert_false(source_more(&source, 1));
    source_close(&source);
    close(ends[0]);
    close(ends[1]);
}

/* Makes standard input a pipe into which a child writes `lines` numbered lines, in pieces that do not respect
 * line ends. */
static pid_t pipe_in(unsigned lines)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        char buffer[64];
        for (unsigned i = 0; i < lines; i++) {
            int length = snprintf(buffer, sizeof buffer, "line %u\n", i);
            for (int at = 0; at < length; at += 3)
                if (write(ends[1], buffer + at, (size_t)(length - at < 3 ? length - at : 3)) < 0)
                    _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
    return child;
}

static void assert_numbered(struct source *source, unsigned lines)
{
    char expected[64];
    for (unsigned i = 0; i < lines; i++) {
        snprintf(expected, sizeof expected, "line %u", i);
        assert_line(source, expected);
    }
}

static void assert_exits_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_pipe_twice(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    /* Rewound at the end, in the middle, and before anything was read. */
    static const unsigned first_pass[] = {LINES, LINES / 2, 0};
    for (size_t i = 0; i < array_length(first_pass); i++) {
        pid_t child = pipe_in(LINES);
        struct source source;
        struct problem problem;
        assert_true(source_open(&source, "-", true, &problem));
        assert_int_equal(source.size, 0);
        source.capacity = 1000;
        assert_numbered(&source, first_pass[i]);
        if (first_pass[i] == LINES)
            assert_end(&source);
        for (int round = 0; round < 2; round++) {
            assert_true(source_rewind(&source, &problem));
            assert_true(source.size > LINES);
            assert_numbered(&source, LINES);
            assert_end(&source);
            assert_int_equal(source.consumed, source.size);
        }
        source_close(&source);
        assert_int_equal(source.mem.bytes, 0);
        assert_exits_well(child);
    }
}

static void a_pipe_once(void **state)
{
    (void)state;
    pid_t child = pipe_in(10);
    struct source source;
    struct problem problem;
    assert_true(source_open(&source, "-", false, &problem));
    assert_numbered(&source, 10);
    assert_end(&source);
    assert_false(source_rewind(&source, &problem));
    assert_string_equal(problem.reason, "cannot be read twice: it is not a file");
    source_close(&source);
    assert_exits_well(child);
}

static void no_place_for_a_copy(void **state)
{
    (void)state;
    const char *before = getenv("TMPDIR");
    char *saved = before != NULL ? strdup(before) : NULL;
    setenv("TMPDIR", "no/such/directory", 1);
    pid_t child = pipe_in(1);
    struct source source;
    struct problem problem;
    assert_true(source_open(&source, "-", true, &problem));
    const char *line;
    size_t length;
    while (source_line(&source, &line, &length) == LINE_OK)
        continue; /* once is no problem */
    assert_false(source_rewind(&source, &problem));
    assert_string_equal(problem.reason,
                        "cannot be read twice: no temporary copy in no/such/directory: No such "
                        "file or directory");
    source_close(&source);
    if (saved != NULL)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
    assert_exits_well(child);
}

/* Standard input from a file whose beginning somebody else has read: the trace begins where we do. */
static void standard_input_from_the_middle(void **state)
{
    (void)state;
    char *path = make_file("header\nfirst\nsecond\n");
    int fd = open(path, O_RDONLY);
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    assert_int_equal(lseek(STDIN_FILENO, 7, SEEK_SET), 7);
    struct source source;
    struct problem problem;
    assert_true(source_open(&source, "-", true, &problem));
    assert_int_equal(source.size, 13);
    for (int round = 0; round < 2; round++) {
        assert_line(&source, "first");
        assert_line(&source, "second");
        assert_end(&source);
        assert_true(source_rewind(&source, &problem));
    }
    source_close(&source);
    unlink(path);
    free(path);
}

static void ignore_signal(int signal)
{
    (void)signal;
}

/* Signals that interrupt reads change nothing. */
static void interrupted_reads(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    struct sigaction action = {.sa_handler = ignore_signal}, old; /* without SA_RESTART */
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    pid_t child = pipe_in(LINES);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    struct source source;
    struct problem problem;
    assert_true(source_open(&source, "-", true, &problem));
    assert_numbered(&source, LINES);
    assert_end(&source);
    assert_true(source_rewind(&source, &problem));
    assert_numbered(&source, LINES);
    source_close(&source);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_exits_well(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_through_any_window),
        cmocka_unit_test(empty_input),
        cmocka_unit_test(bytes_and_lines),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(a_file_twice),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(a_pipe_twice),
        cmocka_unit_test(a_pipe_once),
        cmocka_unit_test(no_place_for_a_copy),
        cmocka_unit_test(standard_input_from_the_middle),
        cmocka_unit_test(interrupted_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
