/* STD: what is read, what is refused with which words, and that what is written reads the same. */
#include "reads.h"

#include "trace/writer.h"

#define KNOWN " (known: r w acq rel fork join vr vw alloc racq rrel bin bout begin end dummy)"

static void std_reads_as(const char *text, const char *expected)
{
    reads_as(&trace_std, text, expected);
}

static void every_operation(void **state)
{
    (void)state;
    std_reads_as("T0|fork(T1)|1\n"
                 "T0|acq(L)|2\n"
                 "T0|r(x)|3\n"
                 "T0|w(x)|4\n"
                 "T0|rel(L)|5\n"
                 "T0|vr(v)|6\n"
                 "T0|vw(v)|7\n"
                 "T0|alloc(x)|8\n"
                 "T0|racq(L)|9\n"
                 "T0|rrel(L)|10\n"
                 "T0|bin(b)|11\n"
                 "T0|bout(b)|12\n"
                 "T0|begin(f)|13\n"
                 "T0|end(f)|14\n"
                 "T0|dummy(d)|15\n"
                 "T0|begin|16\n"
                 "T0|end|17\n"
                 "T0|dummy|18\n"
                 "T0|begin()|19\n"
                 "T0|join(T1)|20\n",
                 "1 T0 fork T1 1\n"
                 "2 T0 acq L 2\n"
                 "3 T0 r x 3\n"
                 "4 T0 w x 4\n"
                 "5 T0 rel L 5\n"
                 "6 T0 vr v 6\n"
                 "7 T0 vw v 7\n"
                 "8 T0 alloc x 8\n"
                 "9 T0 racq L 9\n"
                 "10 T0 rrel L 10\n"
                 "11 T0 bin b 11\n"
                 "12 T0 bout b 12\n"
                 "13 T0 begin f 13\n"
                 "14 T0 end f 14\n"
                 "15 T0 dummy d 15\n"
                 "16 T0 begin - 16\n"
                 "17 T0 end - 17\n"
                 "18 T0 dummy - 18\n"
                 "19 T0 begin - 19\n"
                 "20 T0 join T1 20\n");
}

static void comments_blanks_and_line_ends(void **state)
{
    (void)state;
    std_reads_as("# a comment\n"
                 "\n"
                 "T0|w(x)|1\r\n"
                 "  \t \n"
                 "#T0|w(y)|1\n"
                 "  # another|w(y)|1\n"
                 " T0 |\tw(x) | 2 \r\n"
                 "\r\n"
                 "T1|r(x)|3",
                 "3 T0 w x 1\n"
                 "7 T0 w x 2\n"
                 "9 T1 r x 3\n");
}

static void names_of_all_kinds(void **state)
{
    (void)state;
    std_reads_as("thread-1|w(a.b[3]->c)|src/bank.c:40\n"
                 "(|w(()|)\n"
                 "a(b)|r(f(x),g(y))|#5\n"
                 "Fädchen|w(größe)|straße.c:3\n"
                 "T0|w(x=1)|0\n"
                 "T0|w(12345678)|00\n"
                 "T0|w(123456789)|99999999\n"
                 "T0|w(12345678901234567)|2147483647\n"
                 "T0|w(y)|2147483648\n"
                 "T0|w(y)|-1\n"
                 "T0|w(y)|-12\n",
                 "1 thread-1 w a.b[3]->c src/bank.c:40\n"
                 "2 ( w ( )\n"
                 "3 a(b) r f(x),g(y) #5\n"
                 "4 Fädchen w größe straße.c:3\n"
                 "5 T0 w x=1 0\n"
                 "6 T0 w 12345678 00\n"
                 "7 T0 w 123456789 99999999\n"
                 "8 T0 w 12345678901234567 2147483647\n"
                 "9 T0 w y 2147483648\n"
                 "10 T0 w y -\n"
                 "11 T0 w y -12\n");
}

static void nothing_at_all(void **state)
{
    (void)state;
    std_reads_as("", "");
    std_reads_as("\n", "");
    std_reads_as("# nothing\n\n#", "");
}

#define SHAPE "expected thread|op(operand)|location\n"

static void refused_shapes(void **state)
{
    (void)state;
    static const char *const misshapen[] = {
        "T0",          "T0|w(x)", "T0|w(x)|", "|w(x)|1",     "T0||1",     "||",
        "T0|w(x)|1|2", "|",       "T0|",      "T0|w(x)| \t", " |w(x)|1 ", "T0|w(a|b)|1",
    };
    for (size_t i = 0; i < array_length(misshapen); i++)
        std_reads_as(misshapen[i], "! 1 " SHAPE);
    /* Good events before a bad line are delivered first. */
    std_reads_as("T0|w(x)|1\n\nT1|w(x)|1\nT1,w(x),1\nT1|w(x)|2\n", "1 T0 w x 1\n3 T1 w x 1\n! 4 " SHAPE);
}

static void refused_operations(void **state)
{
    (void)state;
    std_reads_as("T0|write(x)|1", "! 1 unknown operation \"write\"" KNOWN "\n");
    std_reads_as("T0|W(x)|1", "! 1 unknown operation \"W\"" KNOWN "\n");
    std_reads_as("T0|rw(x)|1", "! 1 unknown operation \"rw\"" KNOWN "\n");
    std_reads_as("T0|(x)|1", "! 1 unknown operation \"\"" KNOWN "\n");
    std_reads_as("T0|beginning|1", "! 1 unknown operation \"beginning\"" KNOWN "\n");
    std_reads_as("T0|req(L)|1", "! 1 unknown operation \"req\"" KNOWN "\n");
    std_reads_as("T0|w|1", "! 1 w needs an operand: w(...)\n");
    std_reads_as("T0|acq()|1", "! 1 acq needs an operand: acq(...)\n");
    std_reads_as("T0|w(|1", "! 1 expected op(operand), not \"w(\"\n");
    std_reads_as("T0|w(x|1", "! 1 expected op(operand), not \"w(x\"\n");
    std_reads_as("T0|w(x)y|1", "! 1 expected op(operand), not \"w(x)y\"\n");
    std_reads_as("T0|w)|1", "! 1 unknown operation \"w)\"" KNOWN "\n");
    std_reads_as("T0|begin(|1", "! 1 expected op(operand), not \"begin(\"\n");
    std_reads_as("T0|a23456789.123456789.123456789.123456789.123456789.123456789.123(x)|1",
                 "! 1 unknown operation \"a23456789.123456789.123456789.123456789.\"" KNOWN "\n");
}

static void refused_bytes(void **state)
{
    (void)state;
    std_reads_as("T 0|w(x)|1", "! 1 blank in a name\n");
    std_reads_as("T0|w(x y)|1", "! 1 blank in a name\n");
    std_reads_as("T0|w( x)|1", "! 1 blank in a name\n");
    std_reads_as("T0|w (x)|1", "! 1 blank in a name\n");
    std_reads_as("T0|w(x)|1 2", "! 1 blank in a name\n");
    std_reads_as("T0|w(x\ty)|1", "! 1 blank in a name\n");
    std_reads_as("T0|w(x)|1\r\r\n", "! 1 control character 0x0d in a name\n");
    std_reads_as("T0|w(\x1b[31m)|1", "! 1 control character 0x1b in a name\n");
    std_reads_as("T0|w(x\x7f)|1", "! 1 control character 0x7f in a name\n");
    static const char nul[] = "T0|w(x)|1\nT0|w(x\0)|1\n", only_nul[] = "\0";
    bytes_read_as(&trace_std, nul, sizeof nul - 1, "1 T0 w x 1\n! 2 control character 0x00 in a name\n");
    bytes_read_as(&trace_std, only_nul, 1, "! 1 control character 0x00 in a name\n");
}

static void long_names(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH + 32), *expected = malloc(LENGTH + 32);
    char *at = stpcpy(text, "T0|w(x)|1\nT0|w(");
    memset(at, 'v', LENGTH);
    strcpy(at + LENGTH, ")|2\n");
    at = stpcpy(expected, "1 T0 w x 1\n2 T0 w ");
    memset(at, 'v', LENGTH);
    strcpy(at + LENGTH, " 2\n");
    char *result = shown_memory(text, strlen(text), NULL, 0);
    assert_string_equal(result, expected);
    free(result);
    free(text);
    free(expected);
}

static void too_long_a_line(void **state)
{
    (void)state;
    char *text = malloc(LONGEST_LINE + 32);
    char *at = stpcpy(text, "T0|w(x)|1\nT0|w(");
    memset(at, 'v', LONGEST_LINE);
    strcpy(at + LONGEST_LINE, ")|2\n");
    char *result = shown_memory(text, strlen(text), &trace_std, 0);
    assert_string_equal(result, "1 T0 w x 1\n! 2 a line of more than 16 MiB\n");
    free(result);
    free(text);
}

static void recognition(void **state)
{
    (void)state;
    assert_string_equal(recognised_as(""), "std");
    assert_string_equal(recognised_as("\n# only a comment\n"), "std");
    assert_string_equal(recognised_as("# a comment, with a comma\n\nT0|w(x)|1\n"), "std");
    assert_string_equal(recognised_as("T0|w(a,b)|1"), "std");
    assert_string_equal(recognised_as("T0|fork(x)|1,2"), "std");
    assert_string_equal(recognised_as("w(x)|w(x)|1"), "std");
    assert_string_equal(recognised_as("T0|write(x)|1"), "std"); /* and refused in its own words */
    assert_null(recognised_as("hello, world"));
    assert_null(recognised_as("hello"));
    assert_null(recognised_as("hello(world)\n"));
    assert_null(recognised_as("{ \"json\": 1 }\n"));
    assert_null(recognised_as("\x7f"
                              "ELF|"));
}

/* ---- The two ways through a line agree ----------------------------------------------------------------
 *
 * A line that begins with a blank is not of the common shape; with and without the blank, every text must
 * read the same. The texts are random lines of the format with a few bytes changed. */

static uint64_t seed = 20240607;

static unsigned any(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((seed >> 33) % below);
}

static size_t random_line(char *line, size_t size)
{
    static const char *const thread[] = {"T0", "T1", "worker-12", "(", "t", "#1"};
    static const char *const operand[] = {"x", "x[1]", "0x7ffe12345678", "12345678", "123456789", "(a)", ""};
    static const char *const location[] = {"1", "345", "12345678", "123456789", "0", "01", "-1", "a.c:3", ""};
    static const char bytes[] = "||()()#\r\t x1w\x7f\x80\xff";
    int length =
        snprintf(line, size, "%s|%s(%s)|%s", thread[any(array_length(thread))], op_word[any(OP_COUNT)],
                 operand[any(array_length(operand))], location[any(array_length(location))]);
    for (unsigned changes = any(3); changes > 0 && any(2); changes--)
        line[any((unsigned)length)] = bytes[any(sizeof bytes)];
    return (size_t)length;
}

static void common_lines_read_as_others_do(void **state)
{
    (void)state;
    enum { TEXTS = 15000, LINES = 6, MOST = 128 };
    for (int i = 0; i < TEXTS; i++) {
        uint64_t this_seed = seed;
        char quick[LINES * MOST], blank[LINES * MOST];
        size_t quick_size = 0, blank_size = 0;
        for (int line = 0; line < LINES; line++) {
            size_t size = random_line(quick + quick_size, MOST - 8);
            blank[blank_size++] = ' ';
            memcpy(blank + blank_size, quick + quick_size, size);
            quick_size += size;
            blank_size += size;
            bool crlf = any(4) == 0;
            quick_size = (size_t)(stpcpy(quick + quick_size, crlf ? "\r\n" : "\n") - quick);
            blank_size = (size_t)(stpcpy(blank + blank_size, crlf ? "\r\n" : "\n") - blank);
        }
        size_t window = any(3) == 0 ? 1 + any(200) : 0;
        char *a = shown_memory(quick, quick_size, &trace_std, window);
        char *b = shown_memory(blank, blank_size, &trace_std, 0);
        if (strcmp(a, b) != 0)
            fail_msg("seed %llu:\n%.*s\nreads as\n%s\nbut with blanks as\n%s", (unsigned long long)this_seed,
                     (int)quick_size, quick, a, b);
        free(a);
        free(b);
    }
}

/* More events than a batch holds, many of them new names. */
static void many_batches(void **state)
{
    (void)state;
    enum { EVENTS = 3 * BATCH_EVENTS + 7 };
    char *text = malloc(EVENTS * 64), *expected = malloc(EVENTS * 64), *at = text, *to = expected;
    for (unsigned i = 0; i < EVENTS; i++) {
        at += sprintf(at, "T%u|%s(V%u)|%u\n", i % 9, i % 2 ? "r" : "w", i * i % 2000, i);
        to += sprintf(to, "%u T%u %s V%u %u\n", i + 1, i % 9, i % 2 ? "r" : "w", i * i % 2000, i);
    }
    char *result = shown_memory(text, (size_t)(at - text), NULL, 0);
    assert_string_equal(result, expected);
    free(result);
    free(text);
    free(expected);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

static char *written(const struct names *names, const struct event *events, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct writer *writer = writer_std.open(out, false);
    assert_true(writer_std.put(writer, names, events, count));
    assert_true(writer_std.finish(writer));
    fclose(out);
    return text;
}

static void what_is_read_is_written_again(void **state)
{
    (void)state;
    static const char text[] = "T0|fork(T1)|1\nT0|begin|2\nT1|w(a%)|a.c:3\nT1|end(f(x))|-1\nT1|dummy|0\n"
                               "T1|r(%zz%7)|2147483648\nT1|bout(b)|2147483647\n";
    struct source source;
    struct reader reader;
    struct problem problem;
    struct batch *batch = malloc(sizeof *batch);
    source_memory(&source, "test", text, strlen(text));
    assert_true(reader_open(&reader, &source, NULL, &problem));
    assert_int_equal(reader_next(&reader, batch), READ_EVENTS);
    char *again = written(&reader.names, batch->event, batch->count);
    assert_string_equal(again, text);
    free(again);
    free(batch);
    reader_close(&reader);
    source_close(&source);
}

/* Names from other formats: bytes that STD has no room for are escaped, and no two names become one. */
static void foreign_names(void **state)
{
    (void)state;
    static const char *const name[] = {"a|b", "a%7Cb", "a b", "a%20b", "\t", "%",
                                       "%25", "",      "%7c", "%2525", "%\n"};
    static const char *const text[] = {"a%7Cb", "a%257Cb", "a%20b", "a%2520b", "%09",   "%",
                                       "%2525", "%25",     "%7c",   "%252525", "%25%0A"};
    struct names names;
    names_init(&names);
    for (size_t i = 0; i < array_length(name); i++) {
        struct event event = {.op = OP_WRITE, .location = 1};
        event.thread = names_id(&names, NAME_THREAD, "T", 1);
        event.target = names_id(&names, NAME_VARIABLE, name[i], strlen(name[i]));
        char expected[64], *result = written(&names, &event, 1);
        snprintf(expected, sizeof expected, "T|w(%s)|1\n", text[i]);
        assert_string_equal(result, expected);
        free(result);
    }
    names_free(&names);
}

/* A line that begins with '#' would be a comment: a thread that is called so keeps its events. */
static void foreign_threads(void **state)
{
    (void)state;
    static const char *const name[] = {"#1", "%231", "a#", "%"};
    static const char *const text[] = {"%231|fork(%231)|#\n", "%25231|fork(%25231)|#\n", "a#|fork(a#)|#\n",
                                       "%|fork(%)|#\n"};
    struct names names;
    names_init(&names);
    for (size_t i = 0; i < array_length(name); i++) {
        struct event event = {.op = OP_FORK, .location = names_location_id(&names, "#", 1)};
        event.thread = event.target = names_id(&names, NAME_THREAD, name[i], strlen(name[i]));
        char *result = written(&names, &event, 1);
        assert_string_equal(result, text[i]);
        free(result);
    }
    names_free(&names);
}

static void failing_output(void **state)
{
    (void)state;
    enum { EVENTS = 100000 };
    struct names names;
    names_init(&names);
    struct event event = {.op = OP_WRITE, .location = 1};
    event.thread = names_id(&names, NAME_THREAD, "T", 1);
    event.target = names_id(&names, NAME_VARIABLE, "x", 1);
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    struct writer *writer = writer_std.open(out, false);
    bool good = true;
    for (int i = 0; i < EVENTS; i++)
        good = writer_std.put(writer, &names, &event, 1);
    assert_false(good);
    assert_false(writer_std.finish(writer));
    writer = writer_std.open(out, false);
    assert_true(writer_std.put(writer, &names, &event, 1)); /* still in the buffer */
    assert_false(writer_std.finish(writer));
    fclose(out);
    names_free(&names);
}

static void formats_by_name_and_ending(void **state)
{
    (void)state;
    assert_ptr_equal(writer_format_named("std"), &writer_std);
    assert_null(writer_format_named("csv"));
    assert_ptr_equal(writer_format_for("a/b.std"), &writer_std);
    assert_ptr_equal(writer_format_for("b.pft"), &writer_pft);
    assert_null(writer_format_for("b"));
    assert_null(writer_format_for("std"));
    assert_ptr_equal(trace_format_named("std"), &trace_std);
    assert_ptr_equal(trace_format_named("rr"), &trace_rr);
    assert_ptr_equal(trace_format_named("csv"), &trace_csv);
    assert_ptr_equal(trace_format_named("pft"), &trace_pft);
    assert_null(trace_format_named("auto"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(comments_blanks_and_line_ends),
        cmocka_unit_test(names_of_all_kinds),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(refused_shapes),
        cmocka_unit_test(refused_operations),
        cmocka_unit_test(refused_bytes),
        cmocka_unit_test(long_names),
        cmocka_unit_test(too_long_a_line),
        cmocka_unit_test(recognition),
        cmocka_unit_test(common_lines_read_as_others_do),
        cmocka_unit_test(many_batches),
        cmocka_unit_test(what_is_read_is_written_again),
        cmocka_unit_test(foreign_names),
        cmocka_unit_test(foreign_threads),
        cmocka_unit_test(failing_output),
        cmocka_unit_test(formats_by_name_and_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
