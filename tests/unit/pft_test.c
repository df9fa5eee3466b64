/* .pft: what is written is read back, the same in every name, order and location. */
#include "support/pft_file.h"

static void round_trip(struct trace *trace)
{
    struct bytes bytes = write_pft(trace);
    struct outcome outcome = read_pft(bytes, false, trace);
    assert_true(outcome.opened);
    assert_int_equal(outcome.result, READ_END);
    assert_int_equal(outcome.trace.count, trace->count);
    assert_int_equal(outcome.trace.closed_world, trace->closed_world);
    same_events(&outcome.trace, trace);
    outcome_free(&outcome);
    free(bytes.at);
    trace_free(trace);
}

static void round_trips_at_block_boundaries(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 1023, 1024, 1025, 16383, 16384, 16385, 32768, 50001};
    for (size_t i = 0; i < array_length(counts); i++) {
        struct trace trace;
        trace_init(&trace);
        trace.closed_world = i % 2 == 0;
        add_accesses(&trace, counts[i], 100);
        round_trip(&trace);
    }
}

static void round_trips_every_op_and_location(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    id_of(&trace, NAME_THREAD, "T", 0);
    add_one_of_each(&trace);
    round_trip(&trace);
}

static void round_trips_only_bare_notes(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    id_of(&trace, NAME_THREAD, "T", 0);
    for (unsigned i = 0; i < 5; i++)
        trace_push(&trace, (struct event){.op = OP_DUMMY, .target = NO_TARGET, .location = NO_LOCATION});
    round_trip(&trace);
}

/* Every number of digits that a column can have. */
static void round_trips_every_width(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 31; bits++)
        for (unsigned odd = 0; odd < 2; odd++) {
            struct trace trace;
            trace_init(&trace);
            for (unsigned i = 0; i < 2000 + odd; i++)
                add(&trace, 1, OP_READ, 1, i % 5 == 0 ? 0 : (i * 2654435761u) & ((1u << bits) - 1));
            add(&trace, 1, OP_WRITE, 1, bits % 2 == 0 ? NO_LOCATION : 1u << bits);
            round_trip(&trace);
        }
}

static void round_trips_many_threads_and_variables(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    for (unsigned i = 1; i < 300; i++)
        add(&trace, 0, OP_FORK, i, i);
    for (unsigned i = 0; i < 70000; i++)
        add(&trace, i % 300, OP_WRITE, i, i);
    for (unsigned i = 0; i < 70000; i++)
        add(&trace, i * 13 % 300, OP_READ, i * 101 % 70000, NO_LOCATION);
    round_trip(&trace);
}

/* The names of one block are more than a block should hold. */
static void round_trips_long_names(void **state)
{
    (void)state;
    enum { LENGTH = 3 << 20, COUNT = 5 };
    struct trace trace;
    trace_init(&trace);
    char *text = malloc(LENGTH);
    for (unsigned i = 0; i < LENGTH; i++)
        text[i] = (char)(i * i >> 5);
    for (unsigned i = 0; i < COUNT; i++) {
        add_accesses(&trace, 100, 10);
        text[0] = (char)i;
        uint32_t location = names_location_id(&trace.names, text, LENGTH - i);
        text[0]++;
        uint32_t thread = names_id(&trace.names, NAME_THREAD, text, LENGTH);
        uint32_t variable = names_id(&trace.names, NAME_VARIABLE, text, LENGTH / 2);
        trace_push(&trace, (struct event){.thread = thread, .target = variable, .location = location});
    }
    free(text);
    round_trip(&trace);
}

/* Ids need not appear in their order: the names before an id come with it. */
static void round_trips_ids_out_of_order(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    for (unsigned i = 0; i < 100000; i++)
        id_of(&trace, NAME_VARIABLE, "a rather long name of a variable that nobody uses ", i);
    add(&trace, 0, OP_READ, 1, 0);
    add(&trace, 0, OP_READ, 2, 0);
    round_trip(&trace);
}

static struct bytes convert(struct bytes from, const struct writer_format *format)
{
    struct source source;
    struct reader reader;
    struct batch batch;
    struct problem problem;
    struct bytes to = {0};
    source_memory(&source, "test", from.at, from.size);
    assert_true(reader_open(&reader, &source, NULL, &problem));
    FILE *out = open_memstream(&to.at, &to.size);
    struct writer *writer = format->open(out, false);
    while (reader_next(&reader, &batch) == READ_EVENTS)
        assert_true(format->put(writer, &reader.names, batch.event, batch.count));
    assert_true(format->finish(writer));
    fclose(out);
    reader_close(&reader);
    source_close(&source);
    return to;
}

static void std_through_pft_is_the_same_text(void **state)
{
    (void)state;
    static char text[] = "main|fork(t1)|10\nmain|begin|-1\nt1|begin(loop)|12\nmain|acq(l)|bank.c:40\n"
                         "main|w(x)|0\nmain|rel(l)|2147483647\nt1|r(x)|2147483648\nt1|vw(v)|007\nt1|vr(v)|3\n"
                         "t1|bin(b)|3\nt1|bout(b)|4\nt1|alloc(y)|5\nt1|racq(m)|6\nt1|rrel(m)|7\nt1|end|8\n"
                         "main|join(t1)|9\nmain|dummy|1\n";
    struct bytes pft = convert((struct bytes){text, sizeof text - 1}, &writer_pft);
    assert_memory_equal(pft.at, PFT_MAGIC, sizeof PFT_MAGIC - 1);
    struct bytes again = convert(pft, &writer_std);
    assert_string_equal(again.at, text);
    free(pft.at);
    free(again.at);
}

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    add_accesses(&trace, 20000, 10);
    FILE *out = fopen("/dev/full", "w");
    if (out == NULL)
        skip();
    struct writer *writer = writer_pft.open(out, false);
    writer_pft.put(writer, &trace.names, trace.event, trace.count);
    assert_false(writer_pft.put(writer, &trace.names, trace.event, trace.count));
    assert_false(writer_pft.finish(writer));
    fclose(out);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips_at_block_boundaries),
        cmocka_unit_test(round_trips_every_op_and_location),
        cmocka_unit_test(round_trips_only_bare_notes),
        cmocka_unit_test(round_trips_every_width),
        cmocka_unit_test(round_trips_many_threads_and_variables),
        cmocka_unit_test(round_trips_long_names),
        cmocka_unit_test(round_trips_ids_out_of_order),
        cmocka_unit_test(std_through_pft_is_the_same_text),
        cmocka_unit_test(a_full_disk_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
