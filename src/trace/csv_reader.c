/* RAPID's CSV: a column is a thread, a line is an event in its thread's column.
 *
 * Columns are called T0, T1 ... from the left, or what a first line of plain names calls them. sync(z), a
 * volatile access in RAPID, stands for four events: z is read and written under a lock of its own.
 *
 * Beyond RAPID: every op of STD; comment lines (#); a header. RAPID takes the first of several events in one
 * line and skips what it cannot parse; both are refused here. The location of an event is its line.
 */
#include "trace/text.h"

#include <stdio.h>
#include <string.h>

enum { SYNC_EVENTS = 4 };

#define SYNC_LOCK_BEFORE "VARLOCK-"
#define SYNC_LOCK_AFTER  "-KCOLRAV"

struct csv {
    struct names header; /* its threads are the columns, in order; none without a header */
    char *lock;          /* scratch for the name of a sync's lock */
    size_t lock_capacity;
    bool past_header;
};

static size_t header_columns(const struct csv *csv)
{
    return csv->header.of[NAME_THREAD].count;
}

/* The next cell, trimmed; *at moves behind its comma. False behind the last one. */
static bool next_cell(const char **at, const char *end, struct name *cell)
{
    if (*at > end)
        return false;
    const char *start = *at, *comma = memchr(start, ',', (size_t)(end - start));
    const char *stop = comma != NULL ? comma : end;
    *at = stop + 1;
    while (start < stop && text_is_blank(*start))
        start++;
    while (stop > start && text_is_blank(stop[-1]))
        stop--;
    *cell = text_between(start, stop);
    return true;
}

static bool word_is(struct name word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static bool csv_op(struct name word, enum op *op)
{
    if (word_is(word, "start"))
        return *op = OP_FORK, true;
    if (word_is(word, "enter"))
        return *op = OP_BEGIN, true;
    if (word_is(word, "exit"))
        return *op = OP_END, true;
    return word.length > 0 && text_op(word, op);
}

/* Is this an event, rather than a column's name? */
static bool is_event(struct name cell)
{
    enum op op;
    return memchr(cell.text, '(', cell.length) != NULL || (csv_op(cell, &op) && op_operand[op] == NAME_NOTE);
}

/* What a line holds: how many cells are not empty, the first of those and its column. */
struct row {
    size_t filled, events, column;
    struct name cell;
};

static struct row read_row(const char *at, const char *end)
{
    struct row row = {0};
    struct name cell;
    for (size_t column = 0; next_cell(&at, end, &cell); column++) {
        if (cell.length == 0)
            continue;
        if (row.filled++ == 0) {
            row.cell = cell;
            row.column = column;
        }
        row.events += is_event(cell);
    }
    return row;
}

/* False, refusing the line, where a name has a byte that no name has. */
static bool plain_name(struct reader *reader, struct name name)
{
    for (size_t i = 0; i < name.length; i++)
        if (!text_is_plain(name.text[i]))
            return text_refuse_byte(reader, name.text[i]);
    return true;
}

/* Names from the left, without a gap; columns behind the last name have none. */
static bool read_header(struct reader *reader, const char *at, const char *end)
{
    struct csv *csv = reader->state;
    struct name cell;
    for (size_t column = 0; next_cell(&at, end, &cell); column++) {
        if (cell.length == 0)
            continue;
        if (column > header_columns(csv))
            return problem_set(&reader->problem, reader->line, "column %zu has no name",
                               header_columns(csv) + 1);
        if (!plain_name(reader, cell))
            return false;
        if (names_id(&csv->header, NAME_THREAD, cell.text, cell.length) < column)
            return text_refuse(reader, "two columns are called", cell);
    }
    return true;
}

/* RAPID's four events for an atomic access to one variable. */
static bool put_sync(struct reader *reader, struct batch *batch, struct name thread, struct name variable,
                     uint32_t location)
{
    struct csv *csv = reader->state;
    size_t most = sizeof SYNC_LOCK_BEFORE + variable.length + sizeof SYNC_LOCK_AFTER;
    csv->lock = mem_reserve(&reader->mem, csv->lock, 1, &csv->lock_capacity, most);
    char *end = mempcpy(csv->lock, SYNC_LOCK_BEFORE, sizeof SYNC_LOCK_BEFORE - 1);
    end = mempcpy(end, variable.text, variable.length);
    end = mempcpy(end, SYNC_LOCK_AFTER, sizeof SYNC_LOCK_AFTER - 1);
    struct name lock = text_between(csv->lock, end);
    return reader_put(reader, batch, OP_ACQUIRE, thread, lock, location) &&
           reader_put(reader, batch, OP_READ, thread, variable, location) &&
           reader_put(reader, batch, OP_WRITE, thread, variable, location) &&
           reader_put(reader, batch, OP_RELEASE, thread, lock, location);
}

static bool put_cell(struct reader *reader, struct batch *batch, struct name thread, struct name cell)
{
    struct text_call call;
    enum op op = OP_READ;
    bool shaped = text_split_call(cell, &call), sync = word_is(call.word, "sync");
    uint32_t location = reader->line < LOCATION_NAMED ? (uint32_t)reader->line : NO_LOCATION;
    if (!sync && !csv_op(call.word, &op))
        return text_refuse(reader, "unknown operation", call.word);
    if (!shaped)
        return text_refuse(reader, "expected op(operand), not", cell);
    if (sync && call.operand.length == 0)
        return problem_set(&reader->problem, reader->line, "sync needs an operand: sync(...)");
    if (!text_has_operand(reader, op, &call) || !plain_name(reader, call.operand))
        return false;
    return sync ? put_sync(reader, batch, thread, call.operand, location)
                : reader_put(reader, batch, op, thread, call.operand, location);
}

static bool put_row(struct reader *reader, struct batch *batch, const struct row *row)
{
    const struct csv *csv = reader->state;
    if (row->filled > 1)
        return problem_set(&reader->problem, reader->line, "expected one event in a line, not %zu",
                           row->filled);
    if (header_columns(csv) == 0) {
        char thread[24];
        int length = snprintf(thread, sizeof thread, "T%zu", row->column);
        return put_cell(reader, batch, (struct name){thread, (uint32_t)length}, row->cell);
    }
    if (row->column >= header_columns(csv))
        return problem_set(&reader->problem, reader->line, "column %zu has no name in the header",
                           row->column + 1);
    return put_cell(reader, batch, names_get(&csv->header, NAME_THREAD, (uint32_t)row->column), row->cell);
}

static bool parse_line(struct reader *reader, struct batch *batch, const char *line, size_t length)
{
    struct csv *csv = reader->state;
    struct row row = read_row(line, line + length);
    if (row.filled == 0 || *text_skip_blanks(line) == '#')
        return true;
    bool header = !csv->past_header && row.events == 0 && row.column == 0;
    csv->past_header = true;
    return header ? read_header(reader, line, line + length) : put_row(reader, batch, &row);
}

static enum read_result fill(struct reader *reader, struct batch *batch)
{
    enum read_result result = READ_EVENTS;
    const char *line;
    size_t length;
    while (batch->count + SYNC_EVENTS <= BATCH_EVENTS) {
        if (!reader_line(reader, &line, &length, &result))
            return result;
        if (!parse_line(reader, batch, line, length))
            return READ_BAD;
    }
    return READ_EVENTS;
}

/* One known event in the line; the head of a long line is enough. */
static bool is_event_row(struct name line, bool whole)
{
    struct row row = read_row(line.text, line.text + line.length);
    struct text_call call;
    enum op op;
    if (row.filled != 1 || row.events != 1)
        return false;
    bool shaped = text_split_call(row.cell, &call);
    return (shaped || !whole) && (word_is(call.word, "sync") || csv_op(call.word, &op));
}

/* The first line is an event or, with a comma, a header before one. */
static bool recognise(const char *head, size_t length)
{
    const char *end = head + length;
    struct name line;
    bool whole;
    if (!text_next_line(&head, end, &line, &whole))
        return false;
    struct row row = read_row(line.text, line.text + line.length);
    bool header = row.events == 0 && memchr(line.text, ',', line.length) != NULL;
    if (header && !text_next_line(&head, end, &line, &whole))
        return false;
    return is_event_row(line, whole || length < RECOGNISE_BYTES);
}

static bool open_csv(struct reader *reader)
{
    struct csv *csv = mem_alloc(&reader->mem, sizeof *csv);
    names_init(&csv->header);
    reader->state = csv;
    return true;
}

static void close_csv(struct reader *reader)
{
    struct csv *csv = reader->state;
    names_free(&csv->header);
    mem_free(&reader->mem, csv->lock, csv->lock_capacity);
    mem_free(&reader->mem, csv, sizeof *csv);
}

const struct trace_format trace_csv = {
    .name = "csv",
    .about = "RAPID's CSV, a column a thread",
    .recognise = recognise,
    .open = open_csv,
    .fill = fill,
    .close = close_csv,
};
