#include "shadow/byte_readers.h"

enum { JOIN_AT_ONCE = 64 };

const uint32_t bytes_room[BYTES_CLASSES] = {12, 28, 60, 252, BYTES_MOST_SLOTS};
_Static_assert(BYTES_IN_CHUNK % BYTES_ABREAST == 0, "tables that are abreast are in one chunk");

struct byte_row *bytes_rows[BYTES_CLASSES][BYTES_CHUNKS];
struct slab bytes_slabs[BYTES_CLASSES] = {
    [0 ... BYTES_CLASSES - 1] = {.object = sizeof(struct byte_readers)}};

/* The highest slot that any reader ever had, and 1: rows from there on are empty in all tables. It grows, by
 * a full fence, before a row of the slot is filled, under the lock of its record: whoever takes that lock
 * later sees it. */
static uint32_t slots;

/* --- tables --- */

static void want_slot(uint32_t slot)
{
    uint32_t seen = load_relaxed(&slots);
    while (seen <= slot && !cas_acq_rel(&slots, &seen, slot + 1)) {
    }
}

/* How many rows of the table may be in use. */
static uint32_t length_of(uint32_t table)
{
    uint32_t most = bytes_room[bytes_class(table)], wanted = load_acquire(&slots);
    return wanted < most ? wanted : most;
}

static void make_rows(unsigned class, uint32_t index)
{
    struct byte_row **chunk = &bytes_rows[class][index / BYTES_IN_CHUNK], *none = NULL;
    size_t size = sizeof **chunk * BYTES_IN_CHUNK * bytes_room[class];
    if (likely(load_acquire(chunk) != NULL))
        return;
    struct byte_row *made = arena_pages(size);
    if (!cas_acq_rel(chunk, &none, made))
        arena_pages_free(made, size);
}

static uint32_t take(uint32_t slot)
{
    unsigned class = 0;
    want_slot(slot);
    while (bytes_room[class] < load_relaxed(&slots))
        class ++;
    uint32_t index = slab_take(&bytes_slabs[class]);
    while (unlikely(index >> BYTES_CLASS_SHIFT != 0)) /* used up: more than any memory has room for */
        index = slab_take(&bytes_slabs[++class]);
    make_rows(class, index);
    uint32_t table = class << BYTES_CLASS_SHIFT | index;
    byte_readers_at(table)->whole = 0;
    return table;
}

/* Nobody but its thread, which is late, may be at the row. */
static void move_row(struct byte_row *to, const struct byte_row *from)
{
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&to->read[i], load_relaxed(&from->read[i]));
}

uint32_t byte_readers_with_room(uint32_t table, uint32_t now)
{
    uint32_t slot = half_slot(now);
    if (likely(table != 0 && slot < bytes_room[bytes_class(table)]))
        return table;
    uint32_t made = take(slot);
    if (table != 0) {
        for (uint32_t i = 0, length = bytes_room[bytes_class(table)]; i < length; i++)
            move_row(bytes_row_at(made, i), bytes_row_at(table, i));
        byte_readers_free(table);
    }
    return made;
}

uint32_t byte_readers_live(void)
{
    uint32_t live = 0;
    for (unsigned i = 0; i < BYTES_CLASSES; i++)
        live += slab_live(&bytes_slabs[i]);
    return live;
}

/* --- rows --- */

/* Empties these bytes of it, and returns whether any is left. The row's thread may change it meanwhile; but
 * not any more once it is empty. */
static bool forget_in_row(struct byte_row *row, __m128i bytes)
{
    for (;;) {
        __m128i old = _mm_load_si128((const __m128i *)row), left = _mm_andnot_si128(bytes, old);
        if (bytes_same(old, left) || bytes_swap(row, old, left))
            return !bytes_empty(left);
    }
}

void byte_readers_free(uint32_t table)
{
    for (uint32_t i = 0, length = length_of(table); i < length; i++)
        forget_in_row(bytes_row_at(table, i), bytes_mask(0, 4));
    slab_give(&bytes_slabs[bytes_class(table)], bytes_index(table));
}

bool byte_readers_forget(uint32_t table, unsigned from, unsigned to)
{
    bool any = false;
    for (uint32_t i = 0, length = length_of(table); i < length; i++)
        any |= forget_in_row(bytes_row_at(table, i), bytes_mask(from, to));
    return any;
}

/* Before a read of these bytes is added by the thread with this clock. */
static void drop_ordered(uint32_t table, unsigned from, unsigned to, const uint32_t *clock)
{
    for (uint32_t i = 0, length = length_of(table); i < length; i++) {
        struct byte_row *row = bytes_row_at(table, i);
        __m128i ordered = _mm_setzero_si128();
        for (unsigned k = from; k < to; k++)
            if (half_before(load_relaxed(&row->read[k]), clock))
                ordered = _mm_or_si128(ordered, bytes_mask(k, k + 1));
        forget_in_row(row, ordered);
    }
}

/* --- all of them --- */

bool byte_readers_add(uint32_t table, unsigned from, unsigned to, uint32_t now, const uint32_t *clock)
{
    struct byte_readers *b = byte_readers_at(table);
    struct byte_row *mine = byte_readers_row(table, now);
    bool changed = false;
    uint32_t whole = to - from == 4 ? load_relaxed(&b->whole) + 1 : 0;
    store_relaxed(&b->whole, whole);
    if (bytes_fold_due(whole))
        drop_ordered(table, from, to, clock);
    want_slot(half_slot(now));
    for (unsigned i = from; i < to; i++) {
        changed |= mine->read[i] != now;
        store_relaxed(&mine->read[i], now);
    }
    return changed;
}

uint32_t byte_readers_first_unordered(uint32_t table, unsigned byte, const uint32_t *clock)
{
    for (uint32_t i = 0, length = length_of(table); i < length; i++) {
        uint32_t half = load_relaxed(&bytes_row_at(table, i)->read[byte]);
        if (!half_before(half, clock))
            return half;
    }
    return 0;
}

uint32_t byte_readers_joined(uint32_t table, unsigned byte, uint32_t reads)
{
    uint32_t some[JOIN_AT_ONCE], count = 0;
    for (uint32_t i = 0, length = length_of(table); i < length; i++) {
        uint32_t half = load_relaxed(&bytes_row_at(table, i)->read[byte]);
        if (half != 0)
            some[count++] = half;
        if (unlikely(count == JOIN_AT_ONCE)) {
            reads = sets_joined(reads, some, count);
            count = 0;
        }
    }
    return sets_joined(reads, some, count);
}

bool byte_readers_may_fold(uint32_t table)
{
    bool alike = bytes_fold_due(load_relaxed(&byte_readers_at(table)->whole));
    for (uint32_t i = 0, length = length_of(table); alike && i < length; i++) {
        const uint32_t *read = bytes_row_at(table, i)->read;
        uint32_t first = load_relaxed(&read[0]);
        alike = first == load_relaxed(&read[1]) && first == load_relaxed(&read[2]) &&
                first == load_relaxed(&read[3]);
    }
    return alike;
}
