/* For the tests of text formats: what a text reads as, written down one event a line, so that a test is two
 * strings.
 *
 *   LINE thread op operand location     an event ("-" where it has no operand or no location)
 *   ! LINE reason                       the text was refused
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

static inline void show_name(FILE *out, struct name name)
{
    fprintf(out, " %.*s", (int)name.length, name.text);
}

static inline void show_event(FILE *out, const struct names *names, const struct event *event, uint64_t line)
{
    static const struct name none = {"-", 1};
    char number[16];
    fprintf(out, "%llu", (unsigned long long)line);
    show_name(out, names_get(names, NAME_THREAD, event->thread));
    fprintf(out, " %s", op_word[event->op]);
    show_name(out,
              event->target == NO_TARGET ? none : names_get(names, op_operand[event->op], event->target));
    show_name(out, event->location == NO_LOCATION ? none : names_location(names, event->location, number));
    fputc('\n', out);
    assert_int_equal(event->flags, 0);
    assert_int_equal(event->unused, 0);
}

static inline void show_problem(FILE *out, const struct problem *problem)
{
    fprintf(out, "! %llu %s\n", (unsigned long long)problem->line, problem->reason);
}

static inline void show_all(FILE *out, struct reader *reader)
{
    struct batch *batch = malloc(sizeof *batch);
    enum read_result result;
    uint64_t events = 0;
    while ((result = reader_next(reader, batch)) == READ_EVENTS) {
        assert_int_equal(batch->first, events + 1);
        assert_true(batch->count > 0 && batch->count <= BATCH_EVENTS);
        for (size_t i = 0; i < batch->count; i++)
            show_event(out, &reader->names, &batch->event[i], batch->line[i]);
        events += batch->count;
        assert_int_equal(reader->events, events);
    }
    if (result == READ_BAD)
        show_problem(out, &reader->problem);
    assert_int_equal(reader_next(reader, batch), result); /* it stays so */
    free(batch);
}

/* What the source reads as. The caller frees it. */
static inline char *shown(struct source *source, const struct trace_format *format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct reader reader;
    struct problem problem = {0};
    if (reader_open(&reader, source, format, &problem)) {
        show_all(out, &reader);
        reader_close(&reader);
        assert_int_equal(reader.mem.bytes, 0);
        assert_int_equal(reader.names.mem.bytes, 0);
    } else {
        show_problem(out, &problem);
    }
    fclose(out);
    return text;
}

static inline char *shown_memory(const void *text, size_t size, const struct trace_format *format,
                                 size_t window)
{
    struct source source;
    source_memory(&source, "test", text, size);
    if (window > 0)
        source.capacity = window;
    char *result = shown(&source, format);
    source_close(&source);
    assert_int_equal(source.mem.bytes, 0);
    return result;
}

/* The bytes read as `expected`, wherever the window happens to end. */
static inline void bytes_read_as(const struct trace_format *format, const void *text, size_t size,
                                 const char *expected)
{
    static const size_t windows[] = {0, 1, 2, 3, 5, 8, 13, 31, 64, 100};
    for (size_t i = 0; i < array_length(windows); i++) {
        char *result = shown_memory(text, size, format, windows[i]);
        assert_string_equal(result, expected);
        free(result);
    }
}

static inline void reads_as(const struct trace_format *format, const char *text, const char *expected)
{
    bytes_read_as(format, text, strlen(text), expected);
}

/* Which format recognises the text by itself, or NULL. */
static inline const char *recognised_as(const char *text)
{
    struct source source;
    struct reader reader;
    struct problem problem = {0};
    source_memory(&source, "test", text, strlen(text));
    const char *name = NULL;
    if (reader_open(&reader, &source, NULL, &problem)) {
        name = reader.format->name;
        reader_close(&reader);
    } else {
        assert_string_equal(
            problem.reason,
            text[0] == '{' ? "JSON, not a trace (photofinish report shows what run --json has written)"
            : text[0] == '\x7f'
                ? "a program, not a trace (photofinish record -o FILE makes one of its execution)"
                : "not a trace in any known format (std, rr, csv, pft; --format=F insists on one)");
        assert_int_equal(problem.line, 0);
    }
    source_close(&source);
    return name;
}
