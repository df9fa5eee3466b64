/* Writes .pft (trace/pft.h): gathers a block of events and the names that they are the first to use, then
 * turns the events into columns and compresses.
 *
 * Every block is flushed to the file as it is written: what a crash can cost is the block being gathered.
 *
 * Invariants:
 *   1. names of class c with ids < known[c] are in blocks already written or in fresh[c]; the events being
 *      gathered refer to no others
 *   2. the names of fresh[] together are at most LONGEST_NAMES bytes, and one name more
 */
#include "trace/pft.h"

#include <errno.h>

#include <zstd.h>

#include "trace/writer.h"

/* Level 1, with matches of at least 7 bytes: shorter ones are accidents of small ids, and cost more time to
 * decode than the literals that they stand for. What level 1 makes smaller by less than a quarter gets a
 * level that does not code literals: a plane of noise then decodes ten times as fast. */
enum { ZSTD_LEVEL = 1, ZSTD_LEVEL_OF_NOISE = -1, SHORTEST_MATCH = 7 };

/* Planes at least this long get a zstd frame of their own, so that each is coded by its own statistics. */
enum { LONG_PLANE = 1024, MOST_PIECES = 1 + PFT_COLUMNS * PFT_MOST_DIGITS / 2 };

enum { LONGEST_VARINT = 5, LONGEST_NAMES = 4 << 20, LONGEST_NAME = 32 << 20 };
_Static_assert(LONGEST_NAMES + LONGEST_NAME + PFT_BLOCK_EVENTS * PFT_COLUMNS * PFT_MOST_DIGITS / 2 +
                       PFT_COLUMNS * PFT_COLUMN_HEADER + NAME_CLASSES * LONGEST_VARINT <
                   PFT_MOST_RAW,
               "every block that is gathered fits, with the name that ended it");

struct bytes {
    uint8_t *at;
    size_t size, capacity;
};

struct writer {
    FILE *out;
    int error;                        /* errno of the first failure, or 0 */
    uint64_t first;                   /* number of the first event being gathered */
    size_t known[NAME_CLASSES];       /* ids below were given their names */
    struct bytes fresh[NAME_CLASSES]; /* new in this block: length and text of each */
    uint32_t fresh_count[NAME_CLASSES];
    size_t fresh_size; /* of all fresh[] */
    struct bytes raw, block;
    size_t cut[MOST_PIECES]; /* where the pieces of raw begin */
    unsigned cuts;
    ZSTD_CCtx *zstd;
    struct mem mem;
    size_t count;
    uint32_t value[PFT_COLUMNS][PFT_BLOCK_EVENTS];
};

/* ---- bytes ---- */

static uint8_t *extend(struct writer *writer, struct bytes *bytes, size_t size)
{
    bytes->at = mem_reserve(&writer->mem, bytes->at, 1, &bytes->capacity, bytes->size + size);
    bytes->size += size;
    return bytes->at + bytes->size - size;
}

static void append(struct writer *writer, struct bytes *bytes, const void *from, size_t size)
{
    if (size > 0)
        memcpy(extend(writer, bytes, size), from, size);
}

static void append_varint(struct writer *writer, struct bytes *bytes, uint32_t value)
{
    uint8_t coded[LONGEST_VARINT];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        coded[n++] = (uint8_t)(value | 0x80);
    coded[n++] = (uint8_t)value;
    append(writer, bytes, coded, n);
}

static bool put_out(struct writer *writer, const void *bytes, size_t size)
{
    if (writer->error == 0 && (fwrite(bytes, 1, size, writer->out) != size || fflush(writer->out) != 0))
        writer->error = errno;
    return writer->error == 0;
}

/* ---- one block ---- */

static uint8_t digits_of(uint32_t value)
{
    uint8_t digits = 0;
    for (; value > 0; value >>= 4)
        digits++;
    return digits;
}

struct column {
    uint32_t base;
    uint8_t digits;
};

/* The least value is the base, where all ones (NO_TARGET, NO_LOCATION) come before 0. */
static struct column measure(const uint32_t *value, size_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t above_none = value[i] + 1;
        least = above_none < least ? above_none : least;
        most = above_none > most ? above_none : most;
    }
    if (count == 0)
        return (struct column){0, 0};
    return (struct column){least - 1, digits_of(most - least)};
}

static void append_names(struct writer *writer)
{
    for (unsigned c = 0; c < NAME_CLASSES; c++) {
        append_varint(writer, &writer->raw, writer->fresh_count[c]);
        append(writer, &writer->raw, writer->fresh[c].at, writer->fresh[c].size);
        writer->fresh[c].size = 0;
        writer->fresh_count[c] = 0;
    }
    writer->fresh_size = 0;
}

static void append_column_header(struct writer *writer, struct column column)
{
    append(writer, &writer->raw, &column.digits, sizeof column.digits);
    append(writer, &writer->raw, &column.base, sizeof column.base);
}

/* A piece of raw begins at its end. */
static void cut(struct writer *writer)
{
    writer->cut[writer->cuts++] = writer->raw.size;
}

static void append_planes(struct writer *writer, const uint32_t *value, struct column column)
{
    size_t count = writer->count;
    unsigned bytes = column.digits / 2, shift = 8 * bytes;
    for (unsigned k = 0; k < bytes; k++) {
        cut(writer);
        uint8_t *plane = extend(writer, &writer->raw, count);
        for (size_t i = 0; i < count; i++)
            plane[i] = (uint8_t)((value[i] - column.base) >> (8 * k));
    }
    if (column.digits % 2 == 0)
        return;
    cut(writer);
    uint8_t *plane = extend(writer, &writer->raw, (count + 1) / 2);
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t even = (value[2 * i] - column.base) >> shift,
                 odd = (value[2 * i + 1] - column.base) >> shift;
        plane[i] = (uint8_t)(even | odd << 4);
    }
    if (count % 2 != 0)
        plane[count / 2] = (uint8_t)((value[count - 1] - column.base) >> shift);
}

/* Fills raw with the payload: cut[0] is where the names begin, and each further cut a plane. */
static void gather_raw(struct writer *writer)
{
    struct column column[PFT_COLUMNS];
    writer->raw.size = writer->cuts = 0;
    cut(writer);
    append_names(writer);
    for (unsigned i = 0; i < PFT_COLUMNS; i++) {
        column[i] = measure(writer->value[i], writer->count);
        append_column_header(writer, column[i]);
    }
    for (unsigned i = 0; i < PFT_COLUMNS; i++)
        append_planes(writer, writer->value[i], column[i]);
}

static size_t compress_at_level(struct writer *writer, int level, size_t from, size_t size)
{
    size_t bound = ZSTD_compressBound(size);
    uint8_t *into = extend(writer, &writer->block, bound);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, level);
    size_t stored = ZSTD_compress2(writer->zstd, into, bound, writer->raw.at + from, size);
    require(!ZSTD_isError(stored));
    writer->block.size -= bound - stored;
    return stored;
}

/* Adds a frame for raw[from, to) to the block. */
static void compress(struct writer *writer, size_t from, size_t to)
{
    size_t size = to - from;
    size_t stored = compress_at_level(writer, ZSTD_LEVEL, from, size);
    if (size < LONG_PLANE || stored < size / 4 * 3)
        return;
    writer->block.size -= stored;
    compress_at_level(writer, ZSTD_LEVEL_OF_NOISE, from, size);
}

static bool put_block(struct writer *writer, enum pft_kind kind)
{
    struct pft_block head = {.magic = PFT_BLOCK_MAGIC,
                             .kind = kind,
                             .events = (uint32_t)writer->count,
                             .first = writer->first,
                             .raw = (uint32_t)writer->raw.size,
                             .stored = (uint32_t)(writer->block.size - sizeof head)};
    char *block = (char *)writer->block.at;
    memcpy(block, &head, sizeof head);
    head.checksum = pft_block_checksum(block, head.stored);
    memcpy(block, &head, sizeof head);
    return put_out(writer, block, writer->block.size);
}

/* Room for the header, which is filled in when the payload is known. */
static void start_block(struct writer *writer)
{
    writer->block.size = 0;
    extend(writer, &writer->block, sizeof(struct pft_block));
}

static bool flush_events(struct writer *writer)
{
    gather_raw(writer);
    start_block(writer);
    unsigned pieces = writer->count < LONG_PLANE ? 1 : writer->cuts;
    for (unsigned i = 0; i < pieces; i++)
        compress(writer, writer->cut[i], i + 1 < pieces ? writer->cut[i + 1] : writer->raw.size);
    bool good = put_block(writer, PFT_EVENTS);
    writer->first += writer->count;
    writer->count = 0;
    return good;
}

/* ---- names ---- */

static bool add_name(struct writer *writer, const struct names *names, enum name_class class)
{
    struct name name = names_get(names, class, (uint32_t)writer->known[class]);
    if (name.length > LONGEST_NAME) {
        writer->error = EFBIG;
        return false;
    }
    struct bytes *fresh = &writer->fresh[class];
    size_t before = fresh->size;
    append_varint(writer, fresh, name.length);
    append(writer, fresh, name.text, name.length);
    writer->fresh_size += fresh->size - before;
    writer->fresh_count[class]++;
    writer->known[class]++;
    return writer->fresh_size < LONGEST_NAMES || flush_events(writer);
}

/* The event that uses the id is not among the gathered ones yet: a flush in between may write its names one
 * block before it. */
static cold_path bool add_names(struct writer *writer, const struct names *names, enum name_class class,
                                uint32_t id)
{
    debug_require(id < names->of[class].count);
    while (writer->known[class] <= id)
        if (!add_name(writer, names, class))
            return false;
    return true;
}

hot_inline bool know(struct writer *writer, const struct names *names, enum name_class class, uint32_t id)
{
    return likely(id < writer->known[class]) || add_names(writer, names, class, id);
}

static bool know_names_of(struct writer *writer, const struct names *names, const struct event *event)
{
    if (!know(writer, names, NAME_THREAD, event->thread))
        return false;
    if (event->target != NO_TARGET && !know(writer, names, op_operand[event->op], event->target))
        return false;
    bool named = event->location >= LOCATION_NAMED && event->location != NO_LOCATION;
    return !named || know(writer, names, NAME_LOCATION, event->location & ~LOCATION_NAMED);
}

/* ---- the writer ---- */

static struct writer *open_pft(FILE *out, bool closed_world)
{
    struct mem mem = {0};
    struct writer *writer = mem_alloc(&mem, sizeof *writer);
    writer->mem = mem;
    writer->out = out;
    writer->first = 1;
    writer->zstd = ZSTD_createCCtx();
    if (writer->zstd == NULL)
        tool_failed("out of memory: for compression");
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_minMatch, SHORTEST_MATCH);
    struct pft_header header = {
        .magic = PFT_MAGIC, .version = PFT_VERSION, .flags = closed_world ? PFT_CLOSED_WORLD : 0};
    header.checksum = pft_checksum(&header, offsetof(struct pft_header, checksum));
    put_out(writer, &header, sizeof header);
    return writer;
}

static bool put_events(struct writer *writer, const struct names *names, const struct event *events,
                       size_t count)
{
    for (size_t i = 0; i < count && writer->error == 0; i++) {
        if (!know_names_of(writer, names, &events[i]))
            return false;
        size_t n = writer->count++;
        writer->value[PFT_OP][n] = events[i].op;
        writer->value[PFT_THREAD][n] = events[i].thread;
        writer->value[PFT_TARGET][n] = events[i].target;
        writer->value[PFT_LOCATION][n] = events[i].location;
        if (writer->count == PFT_BLOCK_EVENTS && !flush_events(writer))
            return false;
    }
    return writer->error == 0;
}

static bool put(struct writer *writer, const struct names *names, const struct event *events, size_t count)
{
    bool good = put_events(writer, names, events, count);
    errno = writer->error;
    return good;
}

static void free_bytes(struct writer *writer, struct bytes *bytes)
{
    mem_free(&writer->mem, bytes->at, bytes->capacity);
}

static bool finish(struct writer *writer)
{
    if (writer->error == 0 && (writer->count > 0 || writer->fresh_size > 0))
        flush_events(writer);
    writer->raw.size = 0;
    start_block(writer);
    put_block(writer, PFT_END);
    int error = writer->error;
    ZSTD_freeCCtx(writer->zstd);
    for (unsigned c = 0; c < NAME_CLASSES; c++)
        free_bytes(writer, &writer->fresh[c]);
    free_bytes(writer, &writer->raw);
    free_bytes(writer, &writer->block);
    struct mem mem = writer->mem;
    mem_free(&mem, writer, sizeof *writer);
    errno = error;
    return error == 0;
}

const struct writer_format writer_pft = {
    .name = "pft", .ending = ".pft", .open = open_pft, .put = put, .finish = finish};
