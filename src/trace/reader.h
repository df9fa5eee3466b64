/* Reading a trace of any format: events in batches, names on the side.
 *
 * A format is one file that fills in one `struct trace_format`; the list of formats is reader.c's table.
 * Every format recognises itself by content, and refuses what it cannot read with a place and a reason.
 * Readers deliver what the text says; whether it is feasible is trace/feasible.h's business.
 */
#pragma once

#include "trace/names.h"
#include "trace/source.h"

enum { BATCH_EVENTS = 1024 };

struct batch {
    size_t count;
    uint64_t first; /* number of event[0]; the reader numbers events from 1 */
    struct event event[BATCH_EVENTS];
    uint64_t line[BATCH_EVENTS]; /* where event[i] stands: a line of text, or its number in a binary trace */
};

enum read_result { READ_EVENTS, READ_END, READ_BAD };

struct reader {
    const struct trace_format *format;
    struct source *source; /* borrowed */
    struct names names;
    uint64_t events; /* delivered so far */
    uint64_t line;   /* last line taken from a text */
    /* The trace promises that every thread but the first is forked before its first event. */
    bool closed_world;
    bool salvage;           /* take what is whole of a damaged binary trace */
    uint64_t salvaged_lost; /* with salvage: damaged or missing blocks passed over */
    /* READ_EVENTS, or what the next reader_next answers: a format met it after it had filled some of a batch.
     */
    enum read_result pending;
    struct problem problem; /* why the last reader_next said READ_BAD */
    void *state;            /* of the format */
    struct mem mem;
};

struct trace_format {
    const char *name; /* for --format */
    const char *about;
    bool (*recognise)(const char *head, size_t length); /* the first bytes, at most RECOGNISE_BYTES */
    bool (*open)(struct reader *reader);                /* false: reader->problem says why; close follows */
    /* Fills the batch's event[], line[] and count (at most BATCH_EVENTS). READ_EVENTS means count > 0; events
     * that are in the batch with READ_END or READ_BAD are delivered before that is. */
    enum read_result (*fill)(struct reader *reader, struct batch *batch);
    void (*close)(struct reader *reader);
};

enum { RECOGNISE_BYTES = 4096 };

extern const struct trace_format trace_std, trace_rr, trace_csv, trace_pft, trace_tape;

/* The formats in the order in which they are recognised; NULL-terminated. */
extern const struct trace_format *const trace_formats[];
const struct trace_format *trace_format_named(const char *name);

/* format NULL: recognise by content. The reader borrows the source, which must outlive it. */
bool reader_open(struct reader *reader, struct source *source, const struct trace_format *format,
                 struct problem *problem);
enum read_result reader_next(struct reader *reader, struct batch *batch);
void reader_close(struct reader *reader);

/* For the text formats (more in trace/text.h): */

/* The next line (source_line), counted. False at the end, and on failure: *result says which. */
bool reader_line(struct reader *reader, const char **line, size_t *length, enum read_result *result);

/* Interns the names and appends the event, at the current line, to the batch, which must have room. An empty
 * operand is NO_TARGET. False when a class is full. */
bool reader_put(struct reader *reader, struct batch *batch, enum op op, struct name thread,
                struct name operand, uint32_t location);
