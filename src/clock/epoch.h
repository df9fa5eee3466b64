/* Epochs: one thread's clock at one moment, written slot@clock.
 *
 * A *slot* is a position in every vector clock. A thread owns one slot at a time; when its clock is about to
 * overflow it moves on to a fresh slot (detect/hb.h), so that clocks never wrap.
 *
 * Bit budget, 64 bits:   tag 1 | slot 31 | clock 32
 * The tag is 0 in an epoch; whoever stores epochs uses tag 1 for an index to something larger than an epoch
 * (a read set). Clocks stay below 2^31, so that vector clocks can be compared with signed SIMD.
 * slot 0 clock 0 is the minimal epoch: it happens before everything, and zeroed memory is full of them.
 */
#pragma once

#include "base/base.h"

typedef struct {
    uint64_t v;
} epoch;
_Static_assert(sizeof(epoch) == 8, "an epoch is one word");

enum { CLOCK_MAX = INT32_MAX };

#define EPOCH_TAG (UINT64_C(1) << 63)

hot_inline epoch epoch_of(uint32_t slot, uint32_t clock)
{
    return (epoch){(uint64_t)slot << 32 | clock};
}

hot_inline uint32_t epoch_slot(epoch e)
{
    return (uint32_t)(e.v >> 32);
}

hot_inline uint32_t epoch_clock(epoch e)
{
    return (uint32_t)e.v;
}

hot_inline bool epoch_same(epoch a, epoch b)
{
    return a.v == b.v;
}

hot_inline bool epoch_is_none(epoch e)
{
    return epoch_clock(e) == 0 && !(e.v & EPOCH_TAG);
}

/* slot@clock ≼ V   iff   clock ≤ V(slot)    (000 §3.1) */
hot_inline bool epoch_before(epoch e, const uint32_t *vector_clock)
{
    return epoch_clock(e) <= vector_clock[epoch_slot(e)];
}
