/* Reads a recording (trace/tape_file.h): finds all its blocks, learns from all accesses what the variables
 * are, and then delivers the execution as a trace (trace/transcribe.h).
 *
 * Nothing in a file is trusted. Damage ends a recording: what is before it is good (--salvage). */
#include "trace/reader.h"
#include "trace/tape_decode.h"
#include "trace/tape_file.h"
#include "trace/tape_merge.h"
#include "trace/transcribe.h"

struct tape_reader {
    struct book *book;
    struct tape_merge *merge;
    struct transcript *transcript;
    uint8_t *raw; /* of a block of names */
    bool learned;
    struct problem broken; /* .reason[0] != 0: why the recording ends before its end */
    size_t at;             /* events of the latest slot that are delivered */
    enum tape_result result;
};

static bool recognise(const char *head, size_t length)
{
    return length > 0 && memcmp(head, TAPE_FILE_MAGIC, min_size(length, sizeof TAPE_FILE_MAGIC - 1)) == 0;
}

static void broken(struct reader *reader, const char *how)
{
    struct tape_reader *t = reader->state;
    if (t->broken.reason[0] == '\0')
        problem_set(&t->broken, 0, "%s", how);
}

/* --- blocks --- */

static bool take_names(struct tape_reader *t, const struct tape_file_block *b, const struct tape_piece *piece,
                       const char *payload)
{
    if (!tape_unpack(t->raw, piece, payload))
        return false;
    switch (b->kind) {
    case TAPE_MODULES:
        return book_modules(t->book, t->raw, piece->raw);
    case TAPE_TEXTS:
        return book_texts(t->book, t->raw, piece->raw);
    case TAPE_VARIABLES:
        return book_variables(t->book, t->raw, piece->raw);
    default:
        break;
    }
    struct tape_slot slot;
    struct tape_records records = {t->raw, t->raw + piece->raw, 0};
    while (tape_decode(&records, &slot))
        book_record(t->book, &slot);
    return records.at == records.end;
}

static bool take_block(struct reader *reader, const struct tape_file_block *b, const char *payload,
                       uint64_t offset)
{
    struct tape_reader *t = reader->state;
    struct tape_piece piece = {.offset = offset,
                               .first = b->first,
                               .raw = b->raw,
                               .stored = b->stored,
                               .goes_on = b->kind == TAPE_MORE_ACCESSES};
    if (b->kind == TAPE_SPINE)
        tape_merge_add(t->merge, NO_TARGET, piece, payload);
    else if ((b->kind == TAPE_ACCESSES || piece.goes_on) && b->thread < TAPE_MOST_THREADS)
        tape_merge_add(t->merge, b->thread, piece, payload);
    else
        return b->kind != TAPE_ACCESSES && b->kind <= TAPE_VARIABLES && take_names(t, b, &piece, payload);
    return true;
}

static bool sizes_are_good(const struct tape_file_block *b)
{
    return memcmp(b->magic, TAPE_BLOCK_MAGIC, sizeof b->magic) == 0 && b->raw <= TAPE_MOST_RAW &&
           b->stored <= b->raw;
}

/* False: there are no more, for a good reason or a bad one. */
static bool next_block(struct reader *reader)
{
    struct source *source = reader->source;
    struct tape_file_block b;
    if (!source_more(source, sizeof b) || source_window(source) == 0) {
        broken(reader, "the recording is cut short");
        return false;
    }
    if (source_window(source) < sizeof b) {
        broken(reader, "the recording is cut short");
        return false;
    }
    memcpy(&b, source->buffer + source->begin, sizeof b);
    if (!sizes_are_good(&b)) {
        broken(reader, "the recording is damaged");
        return false;
    }
    size_t size = sizeof b + b.stored;
    if (!source_more(source, size) || source_window(source) < size) {
        broken(reader, "the recording is cut short");
        return false;
    }
    uint64_t offset = source->consumed + sizeof b;
    const char *bytes = source_take(source, size);
    if (tape_file_checksum(bytes + TAPE_CHECKED_FROM, size - TAPE_CHECKED_FROM) != b.checksum) {
        broken(reader, "the recording is damaged");
        return false;
    }
    if (b.kind == TAPE_END) {
        if (b.thread == 0)
            tape_merge_whole(((struct tape_reader *)reader->state)->merge);
        if (source_more(source, 1) && source_window(source) > 0)
            broken(reader, "bytes follow the end of the recording");
        return false;
    }
    if (take_block(reader, &b, bytes + sizeof b, offset))
        return true;
    broken(reader, "the recording is damaged");
    return false;
}

static bool take_header(struct reader *reader)
{
    struct tape_file_header header;
    if (!source_more(reader->source, sizeof header)) {
        reader->problem = reader->source->problem;
        return false;
    }
    if (source_window(reader->source) < sizeof header)
        return problem_set(&reader->problem, 0, "the recording is cut short within its header");
    memcpy(&header, source_take(reader->source, sizeof header), sizeof header);
    if (memcmp(header.magic, TAPE_FILE_MAGIC, sizeof header.magic) != 0)
        return problem_set(&reader->problem, 0, "not a recording");
    if (tape_file_checksum(&header, offsetof(struct tape_file_header, checksum)) != header.checksum)
        return problem_set(&reader->problem, 0, "the header is damaged");
    if (header.version < TAPE_FILE_VERSION)
        return problem_set(&reader->problem, 0,
                           "version %u of the format, of an older photofinish: it has to be recorded again",
                           header.version);
    if (header.version != TAPE_FILE_VERSION)
        return problem_set(&reader->problem, 0, "version %u of the format is not known", header.version);
    return true;
}

static bool open(struct reader *reader)
{
    struct tape_reader *t = reader->state = mem_alloc(&reader->mem, sizeof *t);
    t->book = book_new();
    t->merge = tape_merge_new(reader->source, t->book);
    t->transcript = transcript_new(&reader->names, t->book);
    t->raw = mem_alloc(&reader->mem, TAPE_MOST_RAW);
    reader->closed_world = false; /* nobody forks the threads of the C library's (SIGEV_THREAD) */
    if (!take_header(reader))
        return false;
    while (next_block(reader))
        continue;
    book_close(t->book);
    return true;
}

static void close(struct reader *reader)
{
    struct tape_reader *t = reader->state;
    transcript_free(t->transcript);
    tape_merge_free(t->merge);
    book_free(t->book);
    mem_free(&reader->mem, t->raw, TAPE_MOST_RAW);
    mem_free(&reader->mem, t, sizeof *t);
}

/* --- events --- */

static void learn(struct reader *reader)
{
    struct tape_reader *t = reader->state;
    struct tape_slot slot;
    tape_merge_start(t->merge);
    while (tape_merge_next(t->merge, &slot) == TAPE_GOT)
        transcript_look(t->transcript, &slot);
    transcript_again(t->transcript);
    tape_merge_start(t->merge);
    t->learned = true;
}

static enum read_result at_the_end(struct reader *reader)
{
    struct tape_reader *t = reader->state;
    if (t->result == TAPE_BROKEN)
        broken(reader, "the recording is damaged");
    if (t->broken.reason[0] == '\0')
        return READ_END;
    problem_set(&reader->problem, reader->events + 1, "%s; use --salvage to take the events before that",
                t->broken.reason);
    reader->salvaged_lost += reader->salvage;
    return reader->salvage ? READ_END : READ_BAD;
}

static size_t put_events(struct reader *reader, struct batch *batch)
{
    struct tape_reader *t = reader->state;
    size_t count, room = BATCH_EVENTS - batch->count;
    const struct event *event = transcript_events(t->transcript, &count);
    size_t now = min_size(count - t->at, room);
    for (size_t i = 0; i < now; i++) {
        batch->event[batch->count] = event[t->at + i];
        batch->line[batch->count] = batch->first + batch->count;
        batch->count++;
    }
    t->at += now;
    return count - t->at;
}

static enum read_result fill(struct reader *reader, struct batch *batch)
{
    struct tape_reader *t = reader->state;
    struct tape_slot slot;
    if (!t->learned)
        learn(reader);
    while (put_events(reader, batch) == 0 && batch->count < BATCH_EVENTS) {
        t->result = tape_merge_next(t->merge, &slot);
        if (t->result != TAPE_GOT) {
            reader->events += batch->count; /* for the message */
            enum read_result result = at_the_end(reader);
            reader->events -= batch->count;
            return result;
        }
        t->at = 0;
        if (!transcript_write(t->transcript, &slot, &reader->problem))
            return READ_BAD;
    }
    return READ_EVENTS;
}

const struct trace_format trace_tape = {.name = "recording",
                                        .about = "an execution as `photofinish record` keeps it",
                                        .recognise = recognise,
                                        .open = open,
                                        .fill = fill,
                                        .close = close};
