/* RAPID's CSV: a column a thread, and what is refused. */
#include "reads.h"

static void csv_reads_as(const char *text, const char *expected)
{
    reads_as(&trace_csv, text, expected);
}

static void every_operation(void **state)
{
    (void)state;
    csv_reads_as("start(T1),\n"
                 "fork(T2),,\n"
                 ",acq(L)\n"
                 ",r(x)\n"
                 ", w(x) \r\n"
                 ",rel(L),,,,\n"
                 ",enter(f)\n"
                 ",exit(f)\n"
                 ",begin\n"
                 ",end()\n"
                 ",dummy(d)\n"
                 ",,,,,,,,,,vr(v)\n"
                 ",racq(L)\n"
                 "join(T1)",
                 "1 T0 fork T1 1\n"
                 "2 T0 fork T2 2\n"
                 "3 T1 acq L 3\n"
                 "4 T1 r x 4\n"
                 "5 T1 w x 5\n"
                 "6 T1 rel L 6\n"
                 "7 T1 begin f 7\n"
                 "8 T1 end f 8\n"
                 "9 T1 begin - 9\n"
                 "10 T1 end - 10\n"
                 "11 T1 dummy d 11\n"
                 "12 T10 vr v 12\n"
                 "13 T1 racq L 13\n"
                 "14 T0 join T1 14\n");
}

static void sync_is_four_events(void **state)
{
    (void)state;
    csv_reads_as(",,sync(z)\n",
                 "1 T2 acq VARLOCK-z-KCOLRAV 1\n1 T2 r z 1\n1 T2 w z 1\n1 T2 rel VARLOCK-z-KCOLRAV 1\n");
    csv_reads_as(",sync", "! 1 sync needs an operand: sync(...)\n");
    csv_reads_as("sync()", "! 1 sync needs an operand: sync(...)\n");
    csv_reads_as("sync(x y)", "! 1 blank in a name\n");
}

/* The four events of a sync go into one batch, and none is lost where it is nearly full. */
static void syncs_across_batches(void **state)
{
    (void)state;
    enum { LINES = BATCH_EVENTS };
    char *text = malloc(LINES * 32), *at = text;
    size_t events = 0;
    for (int i = 0; i < LINES; i++) {
        at = stpcpy(at, i % 3 ? "sync(z)\n" : ",r(z)\n");
        events += i % 3 ? 4 : 1;
    }
    char *result = shown_memory(text, (size_t)(at - text), NULL, 0);
    size_t lines = 0;
    for (const char *c = result; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, events);
    free(result);
    free(text);
}

static void headers(void **state)
{
    (void)state;
    csv_reads_as("# c\nmain, worker\n,w(x)\nfork(worker)\n", "3 worker w x 3\n4 main fork worker 4\n");
    csv_reads_as("main,worker,,\nw(x),,,\n,,w(x)\n",
                 "2 main w x 2\n! 3 column 3 has no name in the header\n");
    csv_reads_as("main\nw(x)", "2 main w x 2\n");
    csv_reads_as("a,b,a", "! 1 two columns are called \"a\"\n");
    csv_reads_as("a,,b", "! 1 column 2 has no name\n");
    csv_reads_as(",b,a", "! 1 expected one event in a line, not 2\n");
    csv_reads_as("a,b c", "! 1 blank in a name\n");
    csv_reads_as("begin\nend", "1 T0 begin - 1\n2 T0 end - 2\n"); /* events, not names */
    csv_reads_as("w(x),\na,b\n", "1 T0 w x 1\n! 2 expected one event in a line, not 2\n");
}

static void skipped_lines(void **state)
{
    (void)state;
    csv_reads_as("\n,,,\n#,w(x)\n  # w(x)\n , ,\t\nr(x)\n\r\n", "6 T0 r x 6\n");
    csv_reads_as("", "");
}

static void refused_lines(void **state)
{
    (void)state;
    csv_reads_as("w(x),r(x)", "! 1 expected one event in a line, not 2\n");
    csv_reads_as("w(x),hello,you", "! 1 expected one event in a line, not 3\n");
    csv_reads_as("w(x)\nhello", "1 T0 w x 1\n! 2 unknown operation \"hello\"\n");
    csv_reads_as("Rd(x)", "! 1 unknown operation \"Rd\"\n");
    csv_reads_as("(x)", "! 1 unknown operation \"\"\n");
    csv_reads_as("w(x)\nw", "1 T0 w x 1\n! 2 w needs an operand: w(...)\n");
    csv_reads_as("start()", "! 1 fork needs an operand: fork(...)\n");
    csv_reads_as("w(x", "! 1 expected op(operand), not \"w(x\"\n");
    csv_reads_as("w(x)y", "! 1 expected op(operand), not \"w(x)y\"\n");
    csv_reads_as("w(x y)", "! 1 blank in a name\n");
    csv_reads_as("w(x\x01)", "! 1 control character 0x01 in a name\n");
    static const char nul[] = ",w(\0)\n";
    bytes_read_as(&trace_csv, nul, sizeof nul - 1, "! 1 control character 0x00 in a name\n");
}

static void recognition(void **state)
{
    (void)state;
    assert_string_equal(recognised_as(",,w(x),\n"), "csv");
    assert_string_equal(recognised_as("sync(x)"), "csv");
    assert_string_equal(recognised_as("# c|d\n\n,,\nstart(T1),,"), "csv");
    assert_string_equal(recognised_as("main,worker\n\n,w(x)\n"), "csv");
    assert_null(recognised_as("main,worker\n"));
    assert_null(recognised_as("name,age\nbob,3\n"));
    assert_null(recognised_as("w(x),r(x)\n"));
    assert_null(recognised_as("write(x)\n"));
    assert_null(recognised_as("r\n"));
    assert_null(recognised_as("main\nw(x)\n")); /* one column with a header: ask for --format=csv */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),      cmocka_unit_test(sync_is_four_events),
        cmocka_unit_test(syncs_across_batches), cmocka_unit_test(headers),
        cmocka_unit_test(skipped_lines),        cmocka_unit_test(refused_lines),
        cmocka_unit_test(recognition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
