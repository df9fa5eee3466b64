/* Epochs in half a word (clock/narrow.h), as the live shadow has them: the border between slot and clock moves.
 *
 *   half   tag 1 | slot | clock                    slot = half >> half_bits
 *
 * It begins with few slots and long clocks. When more slots are needed, one bit goes from the clock to the slot
 * (runtime/slots.h): slot s becomes slots 2s and 2s+1, and every half in the shadow means the same as before. For
 * that, vector clocks hold whole halves, slot included: entry s is the last epoch of slot s that is known, or 0.
 * An epoch whose clock is 0 is then as good as any other, except in slot 0, where it is "none".
 *
 * half_bits changes only while the world is stopped (runtime/world.h).
 */
#pragma once

#include "clock/narrow.h"
#include "shadow/map.h"

enum {
    HALF_BITS = NARROW_SLOT_BITS + NARROW_CLOCK_BITS,
    MOST_SLOT_BITS = HALF_BITS - 2 < 17 ? HALF_BITS - 2 : 17, /* 131,072 slots, and 16,384 releases in each */
    MOST_SLOTS = 1 << MOST_SLOT_BITS
};

extern HIDDEN uint32_t half_bits; /* of the clock */

hot_inline uint32_t half_slot(uint32_t half)
{
    return half >> half_bits;
}

/* The first and the last half of a slot. */
hot_inline uint32_t half_first(uint32_t slot)
{
    return slot << half_bits;
}

hot_inline uint32_t half_last(uint32_t slot)
{
    return half_first(slot) | ((1u << half_bits) - 1);
}

hot_inline bool half_before(uint32_t half, const uint32_t *clock)
{
    return half <= clock[half_slot(half)];
}

/* For rules and mailboxes, which know epochs: the "clock" is the whole half, as in vectors. */
hot_inline epoch epoch_of_live(uint32_t half)
{
    return epoch_of(half_slot(half), half);
}
