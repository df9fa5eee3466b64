/* Reads .pft (trace/pft.h) block by block.
 *
 * Nothing in a file is trusted: a checksum tells damage, not malice. Of a block, sizes, checksum,
 * decompression, names and the lengths of columns are checked before its first event leaves; ids, batch by
 * batch as they are decoded. So no event leaves whose names do not exist, and what damage could touch leaves
 * entirely or not at all.
 *
 * Salvage stops at the first block that is not whole, although later ones could be found: the names and the
 * synchronization of the lost one would be missing, and races would be reported that never were.
 *
 * Invariants:
 *   1. memory is bounded by the limits of pft.h, by the bytes that really are in the input, and by the names,
 *      at most PFT_MOST_RAW a block; they are distinct in a class, so that nothing makes millions of empty
 * ones
 *   2. events [at, count) of the block are not delivered; reader->events is the number of the last that is
 */
#include "trace/pft.h"

#include <stdarg.h>
#include <stdio.h>

#include <zstd.h>

#include "trace/reader.h"

enum { FIRST_RAW_BYTES = 256 << 10 };

struct column {
    const uint8_t *planes; /* in raw */
    uint32_t base;
    uint8_t digits;
};

/* How many values are good. */
struct limits {
    uint32_t threads, locations;
    uint32_t targets[256]; /* by op; with MAY_LACK, NO_TARGET is one of them */
};
#define MAY_LACK UINT32_C(0x80000000)

struct pft_reader {
    ZSTD_DCtx *zstd;
    uint8_t *raw;
    size_t raw_capacity;
    struct column column[PFT_COLUMNS];
    struct limits limits;
    size_t count, at;
    uint64_t block; /* number of the current one, from 1 */
    bool over;      /* nothing can follow: verdict is all that is left to say */
    enum read_result verdict;
};

static bool recognise(const char *head, size_t length)
{
    return length > 0 && memcmp(head, PFT_MAGIC, min_size(length, sizeof PFT_MAGIC - 1)) == 0;
}

/* ---- damage ---- */

/* Nothing more can be read, for a reason that salvage forgives. */
static cold_path enum read_result stop(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum read_result stop(struct reader *reader, const char *format, ...)
{
    struct pft_reader *pft = reader->state;
    char reason[120];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    problem_set(&reader->problem, reader->events + 1, "%s; use --salvage to take the %llu events before it",
                reason, (unsigned long long)reader->events);
    if (reader->salvage)
        reader->salvaged_lost++;
    pft->over = true;
    pft->verdict = reader->salvage ? READ_END : READ_BAD;
    return pft->verdict;
}

static cold_path enum read_result damaged(struct reader *reader, const char *how)
{
    struct pft_reader *pft = reader->state;
    return stop(reader, "block %llu is damaged (%s)", (unsigned long long)pft->block, how);
}

static cold_path enum read_result truncated(struct reader *reader)
{
    return stop(reader, "truncated: the end mark is missing");
}

static cold_path enum read_result unreadable(struct reader *reader)
{
    struct pft_reader *pft = reader->state;
    reader->problem = reader->source->problem;
    reader->problem.line = reader->events + 1;
    pft->over = true;
    pft->verdict = READ_BAD;
    return READ_BAD;
}

/* Brings `need` bytes into the window, unless the input ends before: then it is shorter. Asks for little at
 * first, so that a damaged size does not make the window larger than twice the input. */
static bool bring(struct source *source, size_t need)
{
    for (size_t want = 1 << 18; want < need && !source->end_of_input; want *= 2)
        if (!source_more(source, want))
            return false;
    return source_more(source, need);
}

static const char *window(const struct source *source)
{
    return source->buffer + source->begin;
}

/* ---- the payload of an EVENTS block: what is wrong with it, or NULL ---- */

struct cursor {
    const uint8_t *at, *end;
};

static size_t left(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* LEB128, at most 32 bits. */
static bool take_varint(struct cursor *cursor, uint32_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

static const char *take_names(struct names *names, struct cursor *cursor)
{
    for (unsigned c = 0; c < NAME_CLASSES; c++) {
        uint32_t count, length;
        if (!take_varint(cursor, &count))
            return "its names are cut off";
        for (uint32_t i = 0; i < count; i++) {
            if (!take_varint(cursor, &length) || length > left(cursor))
                return "its names are cut off";
            if (names_full(names, c))
                return "it has too many names";
            size_t next = names->of[c].count;
            if (names_id(names, c, (const char *)cursor->at, length) != next)
                return "it gives a name twice";
            cursor->at += length;
        }
    }
    return NULL;
}

static const char *take_columns(struct column *columns, size_t count, struct cursor *cursor)
{
    if (left(cursor) < PFT_COLUMNS * PFT_COLUMN_HEADER)
        return "its columns are cut off";
    const uint8_t *planes = cursor->at + PFT_COLUMNS * PFT_COLUMN_HEADER;
    for (unsigned i = 0; i < PFT_COLUMNS; i++) {
        struct column *column = &columns[i];
        column->digits = cursor->at[0];
        memcpy(&column->base, cursor->at + 1, sizeof column->base);
        cursor->at += PFT_COLUMN_HEADER;
        if (column->digits > PFT_MOST_DIGITS)
            return "a column is too wide";
        size_t size = pft_planes_size(column->digits, count);
        if (size > (size_t)(cursor->end - planes))
            return "its columns are cut off";
        column->planes = planes;
        planes += size;
    }
    return planes < cursor->end ? "it is longer than its events" : NULL;
}

/* ---- decoding: loops without branches, so that the compiler makes SIMD of them ---- */

hot_inline void widen_planes(uint32_t *restrict value, const uint8_t *const plane[], size_t n, uint32_t base,
                             unsigned planes)
{
    const uint8_t *restrict p0 = plane[0], *restrict p1 = plane[1], *restrict p2 = plane[2],
                            *restrict p3 = plane[3];
    for (size_t i = 0; i < n; i++) {
        uint32_t delta = 0;
        if (planes > 0)
            delta |= p0[i];
        if (planes > 1)
            delta |= (uint32_t)p1[i] << 8;
        if (planes > 2)
            delta |= (uint32_t)p2[i] << 16;
        if (planes > 3)
            delta |= (uint32_t)p3[i] << 24;
        value[i] = base + delta;
    }
}

/* One digit a byte, from two a byte. */
static void spread_digits(uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
    for (size_t i = 0; i < (n + 1) / 2; i++) {
        to[2 * i] = from[i] & 15;
        to[2 * i + 1] = from[i] >> 4;
    }
}

/* Values [from, from + n) of a column of `count`; from is even. */
static void widen(uint32_t *value, const struct column *column, size_t count, size_t from, size_t n)
{
    const uint8_t *plane[PFT_MOST_DIGITS / 2] = {0};
    uint8_t digits[BATCH_EVENTS];
    unsigned planes = column->digits / 2;
    for (unsigned i = 0; i < planes; i++)
        plane[i] = column->planes + i * count + from;
    if (column->digits % 2 != 0) {
        spread_digits(digits, column->planes + planes * count + from / 2, n);
        plane[planes++] = digits;
    }
    switch (planes) {
    case 0:
        widen_planes(value, plane, n, column->base, 0);
        break;
    case 1:
        widen_planes(value, plane, n, column->base, 1);
        break;
    case 2:
        widen_planes(value, plane, n, column->base, 2);
        break;
    case 3:
        widen_planes(value, plane, n, column->base, 3);
        break;
    case 4:
        widen_planes(value, plane, n, column->base, 4);
        break;
    }
}

static void limits_of(struct limits *limits, const struct names *names)
{
    memset(limits, 0, sizeof *limits);
    limits->threads = (uint32_t)names->of[NAME_THREAD].count;
    limits->locations = (uint32_t)names->of[NAME_LOCATION].count;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        uint32_t ids = (uint32_t)names->of[op_operand[op]].count;
        bool may_lack = op_operand[op] == NAME_NOTE;
        limits->targets[op] = may_lack ? MAY_LACK | (ids + 1) : ids;
    }
}

/* Not zero iff a value is out of its range. */
static uint32_t check(const struct limits *limits, uint32_t value[PFT_COLUMNS][BATCH_EVENTS], size_t n)
{
    uint32_t bad = 0, ops = 0;
    for (size_t i = 0; i < n; i++) {
        ops |= value[PFT_OP][i];
        bad |= value[PFT_THREAD][i] >= limits->threads;
        /* Bad are the codes between the last named location and NO_LOCATION. */
        uint32_t unnamed = (value[PFT_LOCATION][i] ^ LOCATION_NAMED) - limits->locations;
        bad |= unnamed < (NO_LOCATION ^ LOCATION_NAMED) - limits->locations;
    }
    for (size_t i = 0; i < n; i++) {
        /* NO_TARGET + 1 is 0. */
        uint32_t limit = limits->targets[(uint8_t)value[PFT_OP][i]];
        bad |= value[PFT_TARGET][i] + (limit >> 31) >= (limit & ~MAY_LACK);
    }
    return bad | (ops > UINT8_MAX);
}

/* An event as words, which the compiler can shuffle; op is the lowest byte of the fourth. */
union event_words {
    struct event event;
    uint32_t word[4];
};
_Static_assert(offsetof(struct event, thread) == 0 && offsetof(struct event, target) == 4 &&
                   offsetof(struct event, location) == 8 && offsetof(struct event, op) == 12,
               "interleave() knows where the fields are");

static void interleave(struct event *event, uint32_t value[PFT_COLUMNS][BATCH_EVENTS], size_t n)
{
    union event_words *restrict to = (union event_words *)event;
    for (size_t i = 0; i < n; i++) {
        to[i].word[0] = value[PFT_THREAD][i];
        to[i].word[1] = value[PFT_TARGET][i];
        to[i].word[2] = value[PFT_LOCATION][i];
        to[i].word[3] = value[PFT_OP][i];
    }
}

/* Events [at, at + n) of the block. False: one of them refers to what does not exist. */
static bool decode(const struct pft_reader *pft, struct event *event, size_t n)
{
    uint32_t value[PFT_COLUMNS][BATCH_EVENTS];
    for (unsigned i = 0; i < PFT_COLUMNS; i++)
        widen(value[i], &pft->column[i], pft->count, pft->at, n);
    interleave(event, value, n);
    return check(&pft->limits, value, n) == 0;
}

/* ---- blocks ---- */

static void reserve_raw(struct reader *reader, size_t size)
{
    struct pft_reader *pft = reader->state;
    if (size <= pft->raw_capacity)
        return;
    mem_free(&reader->mem, pft->raw, pft->raw_capacity);
    pft->raw = mem_alloc(&reader->mem, size);
    pft->raw_capacity = size;
}

static const char *load_events(struct reader *reader, const struct pft_block *block, const char *payload)
{
    struct pft_reader *pft = reader->state;
    reserve_raw(reader, block->raw);
    if (ZSTD_decompressDCtx(pft->zstd, pft->raw, block->raw, payload, block->stored) != block->raw)
        return "it does not decompress";
    struct cursor cursor = {pft->raw, pft->raw + block->raw};
    const char *wrong = take_names(&reader->names, &cursor);
    if (wrong == NULL)
        wrong = take_columns(pft->column, block->events, &cursor);
    limits_of(&pft->limits, &reader->names);
    return wrong;
}

static enum read_result end(struct reader *reader, const struct pft_block *block)
{
    struct pft_reader *pft = reader->state;
    if (block->events != 0 || block->raw != 0 || block->stored != 0)
        return damaged(reader, "an end mark with contents");
    if (!source_more(reader->source, 1))
        return unreadable(reader);
    if (source_window(reader->source) > 0)
        return stop(reader, "bytes follow the end mark");
    pft->over = true;
    pft->verdict = READ_END;
    return READ_END;
}

static enum read_result take_block(struct reader *reader, const struct pft_block *block, const char *payload)
{
    struct pft_reader *pft = reader->state;
    if (block->first != reader->events + 1)
        return damaged(reader, "it does not continue the last: blocks are missing");
    if (block->kind == PFT_END)
        return end(reader, block);
    if (block->kind != PFT_EVENTS)
        return stop(reader, "block %llu is of kind %u, which needs a newer photofinish",
                    (unsigned long long)pft->block, block->kind);
    const char *wrong = load_events(reader, block, payload);
    if (wrong != NULL)
        return damaged(reader, wrong);
    pft->at = 0;
    pft->count = block->events;
    return READ_EVENTS;
}

/* Reads the next block; READ_EVENTS: go on, though it may have names only. */
static enum read_result next_block(struct reader *reader)
{
    struct source *source = reader->source;
    struct pft_reader *pft = reader->state;
    struct pft_block block;
    pft->block++;
    if (!bring(source, sizeof block))
        return unreadable(reader);
    if (source_window(source) < sizeof block)
        return truncated(reader);
    memcpy(&block, window(source), sizeof block);
    if (memcmp(block.magic, PFT_BLOCK_MAGIC, sizeof block.magic) != 0)
        return damaged(reader, "no header");
    if (block.events > PFT_BLOCK_EVENTS || block.raw > PFT_MOST_RAW || block.stored > PFT_MOST_STORED)
        return damaged(reader, "impossible sizes");
    size_t whole = sizeof block + block.stored;
    if (!bring(source, whole))
        return unreadable(reader);
    if (source_window(source) < whole)
        return truncated(reader);
    const char *bytes = source_take(source, whole);
    if (pft_block_checksum(bytes, block.stored) != block.checksum)
        return damaged(reader, "checksum");
    return take_block(reader, &block, bytes + sizeof block);
}

static enum read_result fill(struct reader *reader, struct batch *batch)
{
    struct pft_reader *pft = reader->state;
    if (pft->over)
        return pft->verdict;
    while (pft->at == pft->count) {
        enum read_result result = next_block(reader);
        if (result != READ_EVENTS)
            return result;
    }
    size_t n = min_size(pft->count - pft->at, BATCH_EVENTS);
    if (!decode(pft, batch->event, n))
        return damaged(reader, "it refers to a name or an operation that does not exist");
    uint64_t first = reader->events + 1;
    for (size_t i = 0; i < n; i++)
        batch->line[i] = first + i;
    batch->count = n;
    pft->at += n;
    return READ_EVENTS;
}

/* ---- open and close ---- */

static bool read_header(struct reader *reader)
{
    struct source *source = reader->source;
    struct problem *problem = &reader->problem;
    struct pft_header header;
    if (!source_more(source, sizeof header)) {
        *problem = source->problem;
        return false;
    }
    if (source_window(source) == 0)
        return problem_set(problem, 0, "not a .pft trace: it is empty");
    if (!recognise(window(source), source_window(source)))
        return problem_set(problem, 0, "not a .pft trace");
    if (source_window(source) < sizeof header)
        return problem_set(problem, 0, "truncated: the header is not whole");
    memcpy(&header, source_take(source, sizeof header), sizeof header);
    if (pft_checksum(&header, offsetof(struct pft_header, checksum)) != header.checksum)
        return problem_set(problem, 0, "the header is damaged (checksum)");
    if (header.version != PFT_VERSION)
        return problem_set(problem, 0, "needs %s photofinish: .pft version %u, this one reads version %u",
                           header.version > PFT_VERSION ? "a newer" : "another", header.version, PFT_VERSION);
    if ((header.flags & ~PFT_KNOWN_FLAGS) != 0 || header.zero != 0)
        return problem_set(problem, 0, "needs a newer photofinish: unknown features 0x%x",
                           header.flags & ~PFT_KNOWN_FLAGS);
    reader->closed_world = header.flags & PFT_CLOSED_WORLD;
    return true;
}

static bool open_pft(struct reader *reader)
{
    struct pft_reader *pft = mem_alloc(&reader->mem, sizeof *pft);
    reader->state = pft;
    pft->zstd = ZSTD_createDCtx();
    if (pft->zstd == NULL)
        tool_failed("out of memory: for decompression");
    reserve_raw(reader, FIRST_RAW_BYTES);
    return read_header(reader);
}

static void close_pft(struct reader *reader)
{
    struct pft_reader *pft = reader->state;
    ZSTD_freeDCtx(pft->zstd);
    mem_free(&reader->mem, pft->raw, pft->raw_capacity);
    mem_free(&reader->mem, pft, sizeof *pft);
}

const struct trace_format trace_pft = {.name = "pft",
                                       .about = "Photofinish's own binary traces",
                                       .recognise = recognise,
                                       .open = open_pft,
                                       .fill = fill,
                                       .close = close_pft};
