/* Traces in memory, written as .pft and read back, for the tests of that format. */
#pragma once

#include "trace/pft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/reader.h"
#include "trace/writer.h"

struct trace {
    struct names names;
    struct event *event;
    size_t count, capacity;
    bool closed_world;
    struct mem mem;
};

static inline void trace_init(struct trace *trace)
{
    *trace = (struct trace){0};
    names_init(&trace->names);
}

static inline void trace_free(struct trace *trace)
{
    names_free(&trace->names);
    mem_free(&trace->mem, trace->event, trace->capacity * sizeof *trace->event);
}

static inline void trace_push(struct trace *trace, struct event event)
{
    trace->event = mem_reserve(&trace->mem, trace->event, sizeof event, &trace->capacity, trace->count + 1);
    trace->event[trace->count++] = event;
}

static inline uint32_t id_of(struct trace *trace, enum name_class class, const char *letter, unsigned number)
{
    char text[96];
    int length = snprintf(text, sizeof text, "%s%u", letter, number);
    return names_id(&trace->names, class, text, (size_t)length);
}

static inline void add(struct trace *trace, unsigned thread, enum op op, unsigned target, uint32_t location)
{
    uint32_t thread_id = id_of(trace, NAME_THREAD, "T", thread);
    uint32_t target_id = op_operand[op] == NAME_THREAD ? id_of(trace, NAME_THREAD, "T", target)
                                                       : id_of(trace, op_operand[op], "x", target);
    trace_push(trace,
               (struct event){.thread = thread_id, .target = target_id, .location = location, .op = op});
}

/* Reads and writes of 4 threads to `variables` variables. */
static inline void add_accesses(struct trace *trace, size_t count, unsigned variables)
{
    for (unsigned i = 0; i < count; i++)
        add(trace, i * 7 % 4, i % 3 == 0 ? OP_WRITE : OP_READ, i * 31 % variables, i % 1000);
}

/* One event of each op, a bare begin, every sort of location. */
static inline void add_one_of_each(struct trace *trace)
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        add(trace, op % 3, op, op + 1, op * 10);
    trace_push(trace, (struct event){.op = OP_BEGIN, .target = NO_TARGET, .location = NO_LOCATION});
    add(trace, 1, OP_READ, 1, NO_LOCATION);
    add(trace, 1, OP_READ, 1, LOCATION_NAMED - 1);
    add(trace, 2, OP_WRITE, 1, names_location_id(&trace->names, "bank.c:40", 9));
    add(trace, 2, OP_WRITE, 1, names_location_id(&trace->names, "", 0));
}

struct bytes {
    char *at;
    size_t size;
};

static inline struct bytes write_pft(const struct trace *trace)
{
    struct bytes bytes = {0};
    FILE *out = open_memstream(&bytes.at, &bytes.size);
    struct writer *writer = writer_pft.open(out, trace->closed_world);
    for (size_t i = 0; i < trace->count; i += 1000)
        assert_true(
            writer_pft.put(writer, &trace->names, trace->event + i, min_size(1000, trace->count - i)));
    assert_true(writer_pft.finish(writer));
    fclose(out);
    return bytes;
}

struct outcome {
    bool opened;
    enum read_result result;
    struct problem problem;
    uint64_t lost;
    size_t peak_memory;
    struct trace trace; /* events only: the names went with the reader */
};

static inline void outcome_free(struct outcome *outcome)
{
    trace_free(&outcome->trace);
}

static inline void same_names(const struct names *a, const struct names *b)
{
    for (unsigned c = 0; c < NAME_CLASSES; c++) {
        assert_int_equal(a->of[c].count, b->of[c].count);
        for (uint32_t id = 0; id < a->of[c].count; id++) {
            struct name x = names_get(a, c, id), y = names_get(b, c, id);
            assert_int_equal(x.length, y.length);
            assert_memory_equal(x.text, y.text, x.length);
        }
    }
}

static inline void keep_batch(struct outcome *outcome, const struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        assert_int_equal(batch->line[i], batch->first + i);
        trace_push(&outcome->trace, batch->event[i]);
    }
}

/* Reads to the end; with `expected` given, the names must be its names. */
static inline struct outcome read_pft(struct bytes bytes, bool salvage, const struct trace *expected)
{
    struct outcome outcome = {0};
    trace_init(&outcome.trace);
    struct source source;
    struct reader reader;
    struct batch batch;
    source_memory(&source, "test", bytes.at, bytes.size);
    outcome.opened = reader_open(&reader, &source, &trace_pft, &outcome.problem);
    if (outcome.opened) {
        reader.salvage = salvage;
        while ((outcome.result = reader_next(&reader, &batch)) == READ_EVENTS)
            keep_batch(&outcome, &batch);
        assert_int_equal(reader_next(&reader, &batch), outcome.result);
        outcome.problem = reader.problem;
        outcome.lost = reader.salvaged_lost;
        outcome.trace.closed_world = reader.closed_world;
        outcome.peak_memory = reader.mem.peak + source.mem.peak + reader.names.mem.peak;
        if (expected != NULL)
            same_names(&reader.names, &expected->names);
        reader_close(&reader);
    }
    source_close(&source);
    return outcome;
}

static inline void same_events(const struct trace *trace, const struct trace *whole)
{
    for (size_t i = 0; i < trace->count; i++)
        assert_memory_equal(&trace->event[i], &whole->event[i], sizeof *trace->event);
}
