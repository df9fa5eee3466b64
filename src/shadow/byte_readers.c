#include "shadow/byte_readers.h"

enum { FIRST_ROOM = 4, JOIN_AT_ONCE = 64 };

#ifndef BYTES_FOLD_AFTER /* test builds have it at 2 and 4 */
#define BYTES_FOLD_AFTER 16
#endif

struct slab byte_readers_slab = {.object = sizeof(struct byte_readers)};
static struct arena memory;

uint32_t byte_readers_new(void)
{
    uint32_t table = slab_take(&byte_readers_slab);
    struct byte_readers *b = byte_readers_at(table);
    b->whole = 0;
    store_release(&b->count, 0);
    return table;
}

void byte_readers_free(uint32_t table)
{
    slab_give(&byte_readers_slab, table);
}

uint32_t byte_readers_live(void)
{
    return slab_live(&byte_readers_slab);
}

/* --- rows --- */

static bool is_empty(const struct byte_row *row)
{
    return (row->read[0] | row->read[1] | row->read[2] | row->read[3]) == 0;
}

static void copy_row(struct byte_row *to, const struct byte_row *from)
{
    store_relaxed(&to->last, from->last);
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&to->read[i], from->read[i]);
}

static void drop_empty(struct byte_readers *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (!is_empty(&b->row[i]))
            copy_row(&b->row[kept++], &b->row[i]);
    store_release(&b->count, kept);
}

/* Before a read of these bytes is added by the thread with this clock. */
static void drop_ordered(struct byte_readers *b, unsigned from, unsigned to, const uint32_t *clock)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (unsigned k = from; k < to; k++)
            if (half_before(b->row[i].read[k], clock))
                store_relaxed(&b->row[i].read[k], 0);
    drop_empty(b);
}

/* Somebody may be reading the old rows: they stay where they are. */
cold_path static void grow(struct byte_readers *b)
{
    uint32_t room = b->room == 0 ? FIRST_ROOM : 2 * b->room;
    struct byte_row *row = arena_take(&memory, room * sizeof *row);
    for (uint32_t i = 0; i < b->count; i++)
        row[i] = b->row[i];
    store_release(&b->row, row);
    b->room = room;
}

static struct byte_row *append(struct byte_readers *b, unsigned from, unsigned to, uint32_t now,
                               const uint32_t *clock)
{
    if (unlikely(b->count == b->room))
        drop_ordered(b, from, to, clock);
    if (unlikely(b->count == b->room))
        grow(b);
    struct byte_row *row = &b->row[b->count];
    copy_row(row, &(struct byte_row){.last = now});
    store_release(&b->count, b->count + 1);
    return row;
}

/* --- all of them --- */

bool byte_readers_add(uint32_t table, unsigned from, unsigned to, uint32_t now, const uint32_t *clock)
{
    struct byte_readers *b = byte_readers_at(table);
    bool changed = false;
    b->whole = to - from == 4 ? b->whole + 1 : 0;
    if (unlikely(b->whole % BYTES_FOLD_AFTER == BYTES_FOLD_AFTER - 1))
        drop_ordered(b, from, to, clock);
    struct byte_row *mine = byte_readers_row(table, now);
    if (unlikely(mine == NULL))
        mine = append(b, from, to, now, clock);
    store_relaxed(&mine->last, now);
    for (unsigned i = from; i < to; i++) {
        changed |= mine->read[i] != now;
        store_relaxed(&mine->read[i], now);
    }
    return changed;
}

bool byte_readers_forget(uint32_t table, unsigned from, unsigned to)
{
    struct byte_readers *b = byte_readers_at(table);
    for (uint32_t i = 0; i < b->count; i++)
        for (unsigned k = from; k < to; k++)
            store_relaxed(&b->row[i].read[k], 0);
    drop_empty(b);
    return b->count != 0;
}

uint32_t byte_readers_first_unordered(uint32_t table, unsigned byte, const uint32_t *clock)
{
    const struct byte_readers *b = byte_readers_at(table);
    for (uint32_t i = 0; i < b->count; i++)
        if (!half_before(b->row[i].read[byte], clock))
            return b->row[i].read[byte];
    return 0;
}

uint32_t byte_readers_joined(uint32_t table, unsigned byte, uint32_t reads)
{
    const struct byte_readers *b = byte_readers_at(table);
    uint32_t some[JOIN_AT_ONCE], count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->row[i].read[byte] != 0)
            some[count++] = b->row[i].read[byte];
        if (unlikely(count == JOIN_AT_ONCE)) {
            reads = sets_joined(reads, some, count);
            count = 0;
        }
    }
    return sets_joined(reads, some, count);
}

bool byte_readers_may_fold(uint32_t table)
{
    const struct byte_readers *b = byte_readers_at(table);
    bool alike = b->whole >= BYTES_FOLD_AFTER - 1 && b->whole % BYTES_FOLD_AFTER == BYTES_FOLD_AFTER - 1;
    for (uint32_t i = 0; alike && i < b->count; i++) {
        const uint32_t *read = b->row[i].read;
        alike = read[0] == read[1] && read[0] == read[2] && read[0] == read[3];
    }
    return alike;
}
