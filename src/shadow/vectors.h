/* Vectors of epochs that change in place: one entry for each slot.
 *
 * The readers of a word that several threads read unordered are one (shadow/readers.h); so are the accessors of
 * an atomic variable (shadow/crowd.h). Each thread overwrites its own entry; nothing is interned or looked up.
 *
 * A half with both tag bits is a vector's index. An entry is the last epoch that a thread of its slot put
 * there; or, where none did, 0 or the vector's generation, which is tagged.
 *
 * The entries of one slot are a row, by index: threads do not write to each other's cache lines, and vectors
 * that were made one after the other share lines within a row.
 *
 * `slots` says which rows to visit: bit s % 64 is set before a thread of slot s puts its first entry there. It
 * stays set when the vector is freed and used again: only a sweep clears it. So an entry that holds an epoch
 * always has its bit, and a late reader, whose bit is set before it loads its old entry, finds that entry
 * changed by whoever freed the vector in between.
 *
 * While the world is stopped (shadow/sweep.h) all vectors become sets: slots may get other numbers.
 */
#pragma once

#include "base/arena.h"
#include "shadow/sets.h"

#define VECTOR_TAG (NARROW_TAG | NARROW_TAG >> 1)

enum { VECTOR_INDEX_BITS = 24, VECTOR_MOST_SLOTS = 1020 };

struct vector {
    uint32_t free_link; /* base/arena.h */
    uint32_t generation;
    uint32_t before; /* an epoch or a set: who was there before there was a vector */
    uint32_t bytes;  /* of an atomic variable (shadow/crowd.h) */
    uint64_t slots;  /* several threads set bits */
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

/* The entries of the epoch's slot; NULL: it is in no vector yet. */
hot_inline uint32_t *vector_row_of(uint32_t now)
{
    return vector_possible(now) ? load_acquire(&vector_row[half_slot(now)]) : NULL;
}

/* Has a thread put an epoch there? */
hot_inline bool vector_entry_used(uint32_t entry)
{
    return entry != 0 && !(entry & NARROW_TAG);
}

/* Has the thread read, in this epoch, what names the vector? Asked without entering the gate: no other thread puts
 * this epoch into the entry, and it is gone when the vector belongs to something else. A signal handler of the same thread may
 * put it there again: callers that a handler can interrupt compare thread.handlers before and after. */
hot_inline bool vector_has(uint32_t part, uint32_t now)
{
    const uint32_t *row = vector_row_of(now);
    return row != NULL && load_acquire(&row[vector_index(part)]) == now;
}

/* Are there some left? */
HIDDEN bool vector_may_take(void);

/* Of the epochs in `before` (an epoch or a set) and this one. */
HIDDEN uint32_t vector_new(uint32_t before, uint32_t now, uint32_t bytes);

/* The entry of a thread in this epoch, for which vector_possible(). */
HIDDEN uint32_t *vector_make_row(uint32_t slot);

hot_inline uint32_t *vector_entry(uint32_t part, uint32_t now)
{
    uint32_t *row = load_acquire(&vector_row[half_slot(now)]);
    if (unlikely(row == NULL))
        row = vector_make_row(half_slot(now));
    return &row[vector_index(part)];
}

/* A full fence if the bit was not set. */
hot_inline void vector_mark(uint32_t part, uint32_t now)
{
    struct vector *v = vector_at(part);
    uint64_t bit = UINT64_C(1) << half_slot(now) % 64;
    if (!(load_relaxed(&v->slots) & bit))
        __atomic_fetch_or(&v->slots, bit, __ATOMIC_SEQ_CST);
}

/* An epoch in it that does not happen before the clock, or 0. */
HIDDEN uint32_t vector_first_unordered(uint32_t part, const uint32_t *clock);
HIDDEN uint32_t vector_intern(uint32_t part); /* the same as an epoch or a set */

/* Nothing names it any more. */
HIDDEN void vector_free(uint32_t part);

/* While the world is stopped: nothing names any, so those that are left were those of words that shadow_clear() emptied. */
HIDDEN void vectors_collect(void);

HIDDEN uint32_t vector_live(void);
