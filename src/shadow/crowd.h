/* The threads that access an atomic variable, in a vector (shadow/vectors.h) that belongs to the bytes of one
 * access in one word.
 *
 *   1. all bytes [from, to) of a word, and no others, name the crowd that has these bytes (of a pair:
 *      shadow/record.h)
 *   2. it changes only under the lock of their record, which counts its crowds; except that a thread may
 *      overwrite its own epoch without, by compare-and-swap, and looks afterwards whether anybody has held
 *      the lock meanwhile (shadow/atomic.h)
 *   3. only atomic accesses of just these bytes, all in one state, see a crowd; any other access has it
 *      turned into an interned set first (record_settle), so that nothing else knows of crowds
 *
 * A thread that is late spoils no other variable's crowd: it found an epoch of its own, which nobody else
 * puts there, and which went when the crowd was given back. So its compare-and-swap fails.
 */
#pragma once

#include "shadow/vectors.h"

hot_inline bool is_crowd(uint32_t part)
{
    return is_vector(part);
}

/* Is it a crowd of just these bytes? */
hot_inline bool is_crowd_of(uint32_t part, uint32_t bytes)
{
    return is_crowd(part) && vector_at(part)->bytes == bytes;
}

/* The entry of a thread in this epoch, or NULL. Needs no lock. */
hot_inline uint32_t *crowd_entry(uint32_t crowd, uint32_t now)
{
    uint32_t *row = vector_row_of(now);
    return likely(row != NULL) ? &row[vector_index(crowd)] : NULL;
}

/* `part` (a single epoch, a set, or a crowd of these bytes) with the epoch `now` of a thread with this clock,
 * which can be in a vector. */
hot_inline uint32_t crowd_with(uint32_t part, uint32_t bytes, uint32_t now, const uint32_t *clock)
{
    if (unlikely(!is_crowd(part)))
        return sets_first_unordered(part, clock) == 0 ? now : vector_new(part, now, bytes);
    vector_mark(part, now);
    store_relaxed(vector_entry(part, now), now);
    return part;
}
