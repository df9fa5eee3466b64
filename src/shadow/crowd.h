/* Sets of epochs that change in place: the threads that access an atomic variable.
 *
 * A variable that several threads access atomically, unordered, gets a new set of accessors with every epoch
 * of every one of them. Interning each (shadow/sets.h) would cost more than all the rest. A crowd belongs to
 * the bytes of one access in one word, and an accessor's entry is overwritten by its next one.
 *
 * A half with both tag bits is a crowd's index. Invariants:
 *   1. all bytes [from, to) of a word, and no others, name the crowd that has these bytes (of a pair: shadow/record.h)
 *   2. it changes only under the lock of their record, which counts its crowds; except that a thread may overwrite
 *      its own entry without, by compare-and-swap, and looks afterwards whether anybody has held the lock meanwhile
 *      (shadow/atomic.h)
 *   3. only atomic accesses of just these bytes, all in one state, see a crowd; any other access has it
 *      turned into an interned set first (record_settle), so that nothing else knows of crowds
 *   4. entries are narrow epochs of different slots; one that is ordered before another is one too many
 *   5. an epoch gets into an array of entries by its own thread, or stays in it, perhaps further to the front, when
 *      others are dropped. Hence `before`, and a new array when one is too short.
 *
 * 5 is why a thread that is late spoils no other variable's crowd: it found its epoch E at some place in some array, the
 * crowd was given back, and serves another variable now. E is not at that place any more, or behind the last entry
 * where nobody looks: the compare-and-swap fails or does no harm.
 */
#pragma once

#include "base/arena.h"
#include "shadow/sets.h"

#define CROWD_TAG (NARROW_TAG | NARROW_TAG >> 1)

struct crowd {
    uint32_t free_link; /* base/arena.h */
    uint32_t bytes;     /* of the word, one bit each; of a pair of words (shadow/record.h), 8 */
    uint32_t count, room;
    uint32_t before;    /* an epoch or a set: who had accessed the bytes when they got the crowd */
    uint32_t *entry; /* stays with the crowd when it is given back; outgrown ones stay readable */
};

extern HIDDEN struct slab crowd_slab;

hot_inline bool is_crowd(uint32_t part)
{
    return (part & CROWD_TAG) == CROWD_TAG;
}

hot_inline struct crowd *crowd_at(uint32_t part)
{
    return slab_at(&crowd_slab, part & ~CROWD_TAG);
}

/* The entry of the epoch's slot, or NULL. Needs no lock. First the count: entries that were looked up later have room
 * for it. */
hot_inline uint32_t *crowd_entry(const struct crowd *crowd, uint32_t half)
{
    uint32_t count = load_acquire(&crowd->count);
    uint32_t *entry = load_acquire(&crowd->entry);
    for (uint32_t i = 0; i < count; i++)
        if (half_slot(load_relaxed(&entry[i]) ^ half) == 0)
            return &entry[i];
    return NULL;
}

/* Is the epoch among the entries? */
hot_inline bool crowd_has(const struct crowd *crowd, uint32_t half)
{
    const uint32_t *entry = crowd_entry(crowd, half);
    return entry != NULL && load_relaxed(entry) == half;
}

/* `part` (a single epoch, a set, or a crowd of these bytes) with the epoch `now` of a thread with this clock. */
HIDDEN uint32_t crowd_with(uint32_t part, uint32_t bytes, uint32_t now, const uint32_t *clock);

/* The same accesses as a single epoch or an interned set; the crowd is given back. */
HIDDEN uint32_t crowd_intern(uint32_t part);

/* While the world is stopped: entries that are `known` are dropped, the others renamed by `map` unless it is NULL. */
HIDDEN void crowd_drop_known(uint32_t part, const uint32_t *known, uint32_t (*map)(uint32_t half));

/* The crowd is given back. */
HIDDEN void crowd_free(uint32_t part);
