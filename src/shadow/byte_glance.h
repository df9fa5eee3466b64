/* Reads of bytes without the lock of their record, by a thread that has a row in its table of readers
 * (shadow/byte_readers.h): names that every look-up is compared with are read in each epoch of each thread,
 * and threads that only read them need not wait for each other.
 *
 *   reader                                        whoever holds the lock
 *   seq, even                                     seq := odd (a full fence)
 *   cells: ordered; its own row, not empty        looks at cells and rows, or changes them
 *   row: old -> with the epoch, by cmpxchg16b     seq := next even
 *   seq still the same?  done : take the lock
 *
 * As in shadow/atomic.h: what was read belongs together if seq is the same. A row that was written and
 * believed is seen by the next one who takes the lock: the second look at seq came after the
 * compare-and-swap, a full fence, and before seq became odd. One that is not believed is true all the same:
 * it is of this thread, epoch and these bytes, and the access is made. It is in this record's table, or the
 * compare-and-swap has failed: a table that is given back is emptied first, and of an empty row nobody makes
 * another without the lock. Whoever holds the lock may see one such row come while it looks, and no second
 * one of the same thread before it lets go. proof/glance.pml is this as a model.
 */
#pragma once

#include "shadow/record.h"

/* Reads of the whole word are made with the lock in one of so many epochs, to be counted
 * (byte_readers.whole). */
enum { BYTES_COUNTED = 16 };

/* Is what the cells of the bytes say of writes ordered before the thread? */
hot_inline bool bytes_ordered(const struct cell *cell, unsigned from, unsigned to, const struct actor *t)
{
    uint32_t last = t->ordered;
    for (unsigned i = from; i < to; i++) {
        uint32_t w = load_relaxed(&cell[i].w);
        if (unlikely(load_relaxed(&cell[i].aw) != 0) ||
            (unlikely(w != last) && (unlikely(w & NARROW_TAG) || unlikely(!half_before(w, t->clock)))))
            return false;
        last = w;
    }
    return true;
}

/* A read of bytes [from, to) of a word that was `seen` and has a record. The thread is inside
 * (runtime/world.h), the chunk is shared. False: not here. *changed: it was the first in this epoch. */
hot_inline bool byte_glance(const uint64_t *word, uint64_t seen, unsigned from, unsigned to,
                            const struct actor *t, uint32_t *changed)
{
    const struct record *record = record_at(seen);
    uint32_t seq = load_acquire(&record->seq), table = load_relaxed(&record->readers);
    if (unlikely((seq & 1) != 0) || unlikely(load_relaxed(&record->word) != word) || unlikely(table == 0) ||
        unlikely(load_relaxed(&record->special) != 0))
        return false;
    struct byte_row *mine = byte_readers_row(table, t->now);
    if (unlikely(mine == NULL))
        return false;
    __m128i old = _mm_load_si128((const __m128i *)mine), bytes = bytes_mask(from, to),
            new =
                _mm_or_si128(_mm_andnot_si128(bytes, old), _mm_and_si128(bytes, _mm_set1_epi32((int)t->now)));
    if (!bytes_same(old, new)) {
        bool all = to - from == 4;
        if (unlikely(bytes_empty(old)) || unlikely(all && t->now % BYTES_COUNTED == 0) ||
            unlikely(!bytes_ordered(record->cell, from, to, t)) || unlikely(!bytes_swap(mine, old, new)))
            return false;
        if (!all && unlikely(load_relaxed(&byte_readers_at(table)->whole) != 0))
            store_relaxed(&byte_readers_at(table)->whole, 0);
        *changed += 1;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return likely(load_relaxed(&record->seq) == seq);
}
