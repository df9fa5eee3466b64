/* Narrow epochs: an epoch in half a 64-bit word, so that the whole FastTrack2 state of a location is one word.
 *
 *   half   tag 1 | slot NARROW_SLOT_BITS | clock NARROW_CLOCK_BITS
 *   word   R (high half) | W (low half)
 *
 * Bit budget: 10 bits of slot are 1,024 threads at a time; 21 bits of clock are 2,097,151 releases before a
 * thread moves to a fresh slot. Neither is a limit, only where the slow path begins.
 * Tag 1 means that the half is not an epoch but the index of something larger; what, is the user's business.
 */
#pragma once

#include "clock/epoch.h"

#ifndef NARROW_SLOT_BITS /* tests make both tiny */
#define NARROW_SLOT_BITS  10
#define NARROW_CLOCK_BITS 21
#endif

#define NARROW_TAG       UINT32_C(0x80000000)
#define NARROW_SLOTS     (UINT32_C(1) << NARROW_SLOT_BITS)
#define NARROW_CLOCK_MAX ((UINT32_C(1) << NARROW_CLOCK_BITS) - 1)
/* The "half" of an epoch that does not fit one. Indices stay below it: no half in a word is ever equal to it. */
#define NOT_NARROW UINT32_MAX

_Static_assert(NARROW_SLOT_BITS + NARROW_CLOCK_BITS <= 31, "an epoch and its tag fit half a word");

hot_inline uint32_t write_half(uint64_t word)
{
    return (uint32_t)word;
}

hot_inline uint32_t read_half(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

hot_inline bool fits_half(epoch e)
{
    return epoch_slot(e) < NARROW_SLOTS && epoch_clock(e) <= NARROW_CLOCK_MAX;
}

hot_inline uint32_t half_of(epoch e)
{
    return epoch_slot(e) << NARROW_CLOCK_BITS | epoch_clock(e);
}

hot_inline epoch epoch_of_half(uint32_t half)
{
    return epoch_of(half >> NARROW_CLOCK_BITS, half & NARROW_CLOCK_MAX);
}
