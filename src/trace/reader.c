#include "trace/reader.h"

#include <string.h>

/* The binary format first (its magic is certain), then from the most to the least particular shape. */
const struct trace_format *const trace_formats[] = {&trace_pft, &trace_tape, &trace_rr,
                                                    &trace_csv, &trace_std,  NULL};

const struct trace_format *trace_format_named(const char *name)
{
    for (size_t i = 0; trace_formats[i] != NULL; i++)
        if (strcmp(trace_formats[i]->name, name) == 0)
            return trace_formats[i];
    return NULL;
}

static const struct trace_format *recognise(struct source *source)
{
    const char *head = source->buffer + source->begin;
    size_t length = min_size(source_window(source), RECOGNISE_BYTES);
    for (size_t i = 0; trace_formats[i] != NULL; i++)
        if (trace_formats[i]->recognise(head, length))
            return trace_formats[i];
    return NULL;
}

static bool is_json(const struct source *source)
{
    size_t length = source_window(source), i = 0;
    const char *head = source->buffer + source->begin;
    while (i < length && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
        i++;
    return i < length && head[i] == '{';
}

/* An empty file may be a trace in a text format. That it was to be a binary one, only its name says. */
static bool is_empty_pft(const struct source *source)
{
    size_t length = strlen(source->name);
    return source_window(source) == 0 && length > 4 && strcmp(source->name + length - 4, ".pft") == 0;
}

static bool is_program(const struct source *source)
{
    static const char magic[] = {0x7f, 'E', 'L', 'F'};
    return source_window(source) >= sizeof magic &&
           memcmp(source->buffer + source->begin, magic, sizeof magic) == 0;
}

/* Files of both kinds end in .pft; the first bytes tell them apart. */
static bool is_recording(struct source *source)
{
    enum { MAGIC_BYTES = 8 };
    return source_more(source, MAGIC_BYTES) &&
           trace_tape.recognise(source->buffer + source->begin, source_window(source));
}

bool reader_open(struct reader *reader, struct source *source, const struct trace_format *format,
                 struct problem *problem)
{
    if (format == NULL) {
        if (!source_more(source, RECOGNISE_BYTES)) {
            *problem = source->problem;
            return false;
        }
        format = is_empty_pft(source) ? &trace_pft : recognise(source);
        if (format == NULL && is_json(source))
            return problem_set(problem, 0,
                               "JSON, not a trace (photofinish report shows what run --json has written)");
        if (format == NULL && is_program(source))
            return problem_set(
                problem, 0, "a program, not a trace (photofinish record -o FILE makes one of its execution)");
        if (format == NULL)
            return problem_set(
                problem, 0, "not a trace in any known format (std, rr, csv, pft; --format=F insists on one)");
    }
    if (format == &trace_pft && is_recording(source))
        format = &trace_tape;
    *reader = (struct reader){.format = format, .source = source};
    names_init(&reader->names);
    if (format->open(reader))
        return true;
    *problem = reader->problem;
    reader_close(reader);
    return false;
}

enum read_result reader_next(struct reader *reader, struct batch *batch)
{
    batch->count = 0;
    batch->first = reader->events + 1;
    if (reader->pending != READ_EVENTS)
        return reader->pending;
    enum read_result result = reader->format->fill(reader, batch);
    reader->events += batch->count;
    if (result != READ_EVENTS)
        reader->pending = result;
    return batch->count > 0 ? READ_EVENTS : result;
}

void reader_close(struct reader *reader)
{
    reader->format->close(reader);
    names_free(&reader->names);
}

bool reader_line(struct reader *reader, const char **line, size_t *length, enum read_result *result)
{
    enum line_result got = source_line(reader->source, line, length);
    if (likely(got == LINE_OK)) {
        reader->line++;
        return true;
    }
    *result = READ_END;
    if (got == LINE_FAILED) {
        *result = READ_BAD;
        reader->problem = reader->source->problem;
        reader->problem.line = reader->line + 1;
    }
    return false;
}

static cold_path bool class_full(struct reader *reader)
{
    return problem_set(&reader->problem, reader->line, "more than %u different names of one kind",
                       MOST_IDS - 1);
}

bool reader_put(struct reader *reader, struct batch *batch, enum op op, struct name thread,
                struct name operand, uint32_t location)
{
    struct names *names = &reader->names;
    struct event event = {.target = NO_TARGET, .location = location, .op = (uint8_t)op};
    if (unlikely(names_full(names, NAME_THREAD) || names_full(names, NAME_LOCATION)))
        return class_full(reader);
    event.thread = names_id(names, NAME_THREAD, thread.text, thread.length);
    if (likely(operand.length > 0)) {
        if (unlikely(names_full(names, op_operand[op])))
            return class_full(reader);
        event.target = names_id(names, op_operand[op], operand.text, operand.length);
    }
    batch->event[batch->count] = event;
    batch->line[batch->count] = reader->line;
    batch->count++;
    return true;
}
