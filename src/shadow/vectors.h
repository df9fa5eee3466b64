/* Sets of epochs that change in place: an entry for each slot.
 *
 * Those who read a word again and again, each time in a new epoch, are one (shadow/readers.h); so are those
 * who access an atomic variable (shadow/crowd.h). An interned set (shadow/sets.h) would be another one each
 * time; here each thread overwrites its own entry.
 *
 * A half with both tag bits is a vector's index. An entry is the last epoch that a thread of its slot put
 * there, or, where none did: 0, or the vector's generation, tagged, if it was used before.
 *
 * The entries of a slot are a row, by the vectors' index: threads on several processors do not wait for each
 * other, and what a thread writes for vectors that were made one after the other is in one line of the cache.
 * A row is there from the first time on that a thread of its slot wants an entry.
 *
 * While the world is stopped (shadow/sweep.h) all vectors become sets: slots may get other numbers.
 */
#pragma once

#include "base/arena.h"
#include "shadow/sets.h"

#define VECTOR_TAG (NARROW_TAG | NARROW_TAG >> 1)

/* 2^24 vectors; users have the bits between those of an index and the tags for themselves. */
enum { VECTOR_INDEX_BITS = 24, VECTOR_MOST_SLOTS = 1020 };

struct vector {
    uint32_t free_link; /* base/arena.h */
    uint32_t generation;
    uint32_t before; /* an epoch or a set: who was there before there was a vector */
    uint32_t bytes;  /* for whoever asks */
};

extern HIDDEN struct slab vector_slab;
extern HIDDEN uint32_t *vector_row[VECTOR_MOST_SLOTS];

hot_inline bool is_vector(uint32_t part)
{
    return (part & VECTOR_TAG) == VECTOR_TAG;
}

hot_inline uint32_t vector_index(uint32_t part)
{
    return part & ((1u << VECTOR_INDEX_BITS) - 1);
}

hot_inline struct vector *vector_at(uint32_t part)
{
    return slab_at(&vector_slab, vector_index(part));
}

/* Can a thread in this epoch be in one? Not if its slot is too high. */
hot_inline bool vector_possible(uint32_t now)
{
    return likely(half_slot(now) < VECTOR_MOST_SLOTS);
}

/* Its entries; NULL: it is in none. */
hot_inline uint32_t *vector_row_of(uint32_t now)
{
    return vector_possible(now) ? load_acquire(&vector_row[half_slot(now)]) : NULL;
}

/* Has a thread put an epoch there? */
hot_inline bool vector_entry_used(uint32_t entry)
{
    return entry != 0 && !(entry & NARROW_TAG);
}

/* Are there some left? */
HIDDEN bool vector_may_take(void);

/* Of the epochs in `before` (an epoch or a set) and this one. */
HIDDEN uint32_t vector_new(uint32_t before, uint32_t now, uint32_t bytes);

/* The entry of a thread in this epoch, which can be in one. Whoever has it put there and sees afterwards
 * that the vector is still where it was found is seen by all who take it away from there: by a locked
 * instruction, and look at the entries then. */
HIDDEN uint32_t *vector_make_row(uint32_t slot);

hot_inline uint32_t *vector_entry(uint32_t part, uint32_t now)
{
    uint32_t *row = load_acquire(&vector_row[half_slot(now)]);
    if (unlikely(row == NULL))
        row = vector_make_row(half_slot(now));
    return &row[vector_index(part)];
}

/* For a vector that nobody can be added to any more: */

/* An epoch in it that does not happen before the clock, or 0. */
HIDDEN uint32_t vector_first_unordered(uint32_t part, const uint32_t *clock);
HIDDEN uint32_t vector_intern(uint32_t part); /* the same as an epoch or a set */
HIDDEN void vector_free(uint32_t part);

/* How many are in use. */
HIDDEN uint32_t vector_live(void);
