/* Readers of one location, in a vector (shadow/vectors.h) that its R names.
 *
 *   reader                                     whoever takes the vector away from the location
 *   seen := state, which names the vector      state := something else, by compare-and-swap
 *   the slot's bit is set                      visits the slots whose bits are set:
 *   old := its entry; state = seen still?        looks at the entries (or copies them)
 *   entry: old -> epoch, by compare-and-swap     all entries := next generation
 *   state = seen still?  done : begin again    frees the vector
 *
 * 1. A reader that is done is seen: its second look at the state came after its entry (a compare-and-swap is a
 * full fence), so the state changed after that, and the bits and entries are looked at later still.
 * 2. A late reader spoils no other location's vector: its bit was set before the state changed, so its `old` is
 * of a generation that is over, and its compare-and-swap fails. If the same vector is back with the same state,
 * the entry is right.
 * 3. A reader that begins again may have been seen, and reports the same race a second time.
 *
 * proof/readers.pml is this as a model, without the bits.
 */
#pragma once

#include "shadow/cell.h"

enum readers_answer {
    READERS_KNOWN, /* its epoch was there */
    READERS_ADDED,
    READERS_AGAIN /* the state has changed: load it again */
};

/* The thread reads the location, whose state was `seen` and names a vector. */
hot_inline enum readers_answer readers_add(const uint64_t *state, uint64_t seen, const struct actor *t)
{
    uint32_t *mine = vector_entry(read_half(seen), t->now), old = load_acquire(mine);
    if (old == t->now)
        return READERS_KNOWN;
    if (unlikely(!vector_entry_used(old))) {
        vector_mark(read_half(seen), t->now);
        old = load_acquire(mine);
    }
    if (unlikely(load_acquire(state) != seen) || unlikely(!cas_acq_rel(mine, &old, t->now)) ||
        unlikely(load_acquire(state) != seen))
        return READERS_AGAIN;
    return READERS_ADDED;
}
