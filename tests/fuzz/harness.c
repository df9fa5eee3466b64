#define XXH_INLINE_ALL
#include <xxhash.h> /* before base.h, whose `hot_inline` is a word in it */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"

void fuzz_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    abort();
}

struct reading {
    struct reader reader;
    struct batch batch;
    struct fuzz_trace trace;
    uint32_t used[NAME_CLASSES]; /* highest id that an event used, plus one */
    struct writer *writer;
    const struct writer_format *to;
    struct replay replay;
    bool analyze;
};

static void use(struct reading *reading, unsigned class, uint32_t id)
{
    fuzz_require(id < reading->reader.names.of[class].count);
    if (id >= reading->used[class])
        reading->used[class] = id + 1;
}

static void check_event(struct reading *reading, const struct event *event)
{
    fuzz_require(event->op < OP_COUNT);
    fuzz_require(event->flags == 0 && event->unused == 0);
    use(reading, NAME_THREAD, event->thread);
    if (event->target == NO_TARGET)
        fuzz_require(op_operand[event->op] == NAME_NOTE);
    else
        use(reading, op_operand[event->op], event->target);
    if (event->location != NO_LOCATION && event->location >= LOCATION_NAMED)
        use(reading, NAME_LOCATION, event->location & ~LOCATION_NAMED);
}

static void take_batch(struct reading *reading)
{
    struct batch *batch = &reading->batch;
    struct fuzz_trace *trace = &reading->trace;
    fuzz_require(batch->count > 0 && batch->count <= BATCH_EVENTS);
    fuzz_require(batch->first == trace->events + 1);
    for (size_t i = 0; i < batch->count; i++) {
        fuzz_require(batch->line[i] > 0);
        check_event(reading, &batch->event[i]);
    }
    trace->events += batch->count;
    /* One at a time: readings of the same trace may cut it into other batches. */
    for (size_t i = 0; i < batch->count; i++)
        trace->event_digest = XXH64(&batch->event[i], sizeof *batch->event, trace->event_digest);
    if (reading->writer != NULL)
        fuzz_require(reading->to->put(reading->writer, &reading->reader.names, batch->event, batch->count));
    if (reading->analyze) {
        struct problem problem = {0};
        size_t good = replay_feed(&reading->replay, batch->event, batch->count, &problem);
        reading->analyze = good == batch->count;
        fuzz_require(reading->analyze || problem.reason[0] != '\0');
    }
}

static void read_all(struct reading *reading)
{
    struct fuzz_trace *trace = &reading->trace;
    while ((trace->result = reader_next(&reading->reader, &reading->batch)) == READ_EVENTS)
        take_batch(reading);
    fuzz_require(reading->batch.count == 0);
    fuzz_require(reader_next(&reading->reader, &reading->batch) == trace->result);
    fuzz_require(trace->result == READ_END || reading->reader.problem.reason[0] != '\0');
}

static uint64_t digest_names(const struct reading *reading)
{
    uint64_t digest = 0;
    for (unsigned c = 0; c < NAME_CLASSES; c++)
        for (uint32_t id = 0; id < reading->used[c]; id++) {
            struct name name = names_get(&reading->reader.names, c, id);
            digest = XXH64(name.text, name.length, digest + c);
        }
    return digest;
}

static void read_opened(struct reading *reading, struct fuzz_options *options)
{
    FILE *out = NULL;
    reading->reader.salvage = options->salvage;
    if (options->to != NULL) {
        out = open_memstream(&options->written, &options->written_size);
        reading->to = options->to;
        reading->writer = options->to->open(out, reading->reader.closed_world);
    }
    const struct replay_options replay = {.closed_world = reading->reader.closed_world};
    bool analyze = reading->analyze = options->analyze;
    if (analyze)
        replay_init(&reading->replay, detector_named(DEFAULT_DETECTOR), &reading->reader.names, &replay);
    read_all(reading);
    reading->trace.name_digest = digest_names(reading);
    if (analyze)
        replay_free(&reading->replay);
    if (options->to != NULL) {
        fuzz_require(options->to->finish(reading->writer));
        fclose(out);
    }
}

struct fuzz_trace fuzz_read(struct fuzz_options *options, const void *bytes, size_t size)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct problem problem = {0};
    struct source source;
    source_memory(&source, "input", bytes, size);
    reading->trace.opened = reader_open(&reading->reader, &source, options->format, &problem);
    if (reading->trace.opened) {
        read_opened(reading, options);
        reader_close(&reading->reader);
    } else {
        fuzz_require(problem.reason[0] != '\0');
        reading->trace.result = READ_BAD;
    }
    source_close(&source);
    struct fuzz_trace trace = reading->trace;
    free(reading);
    return trace;
}
