/* FastTrack2's rules (000 Fig. 1): which one fires, as functions over plain values.
 *
 * State of a variable x:
 *   W   epoch of the last write, or none
 *   R   epoch of the last read since that write, or none; or, tagged, the index of a set of reads ("SHARED")
 *
 * Two refinements of Figure 1, both of which leave the first race on every variable where it is:
 *   - an ordered write resets R to none, as in 003 §3.3: all reads of R happen before this write, so whatever
 *     is unordered with one of them later is unordered with the write too, at the same access;
 *   - a read by the thread that wrote x in this same epoch changes nothing ([READ OWN WRITE]): any later
 *     access that is unordered with the read is unordered with the write.
 *
 * After a race the state moves on as if the access had been ordered, so that later races can be told too.
 */
#pragma once

#include "clock/epoch.h"
#include "detect/detector.h"

/* rule, its name in the paper, leaves the state alone */
#define FASTTRACK2_RULES(X)                                                                                  \
    X(READ_SAME_EPOCH, "READ SAME EPOCH", true)                                                              \
    X(READ_OWN_WRITE, "READ OWN WRITE", true)                                                                \
    X(READ_SHARED_SAME_EPOCH, "READ SHARED SAME EPOCH", true)                                                \
    X(READ_EXCLUSIVE, "READ EXCLUSIVE", false)                                                               \
    X(READ_SHARED, "READ SHARED", false)                                                                     \
    X(READ_SHARE, "READ SHARE", false)                                                                       \
    X(WRITE_READ_RACE, "WRITE-READ RACE", false)                                                             \
    X(WRITE_SAME_EPOCH, "WRITE SAME EPOCH", true)                                                            \
    X(WRITE_EXCLUSIVE, "WRITE EXCLUSIVE", false)                                                             \
    X(WRITE_SHARED, "WRITE SHARED", false)                                                                   \
    X(WRITE_WRITE_RACE, "WRITE-WRITE RACE", false)                                                           \
    X(READ_WRITE_RACE, "READ-WRITE RACE", false)                                                             \
    X(SHARED_WRITE_RACE, "SHARED-WRITE RACE", false)

enum fasttrack2_rule {
#define X(id, name, same) id,
    FASTTRACK2_RULES(X)
#undef X
        RULES
};

static const struct rule_count rule_table[RULES] = {
#define X(id, name, same) [id] = {.rule = name, .same_epoch = same},
    FASTTRACK2_RULES(X)
#undef X
};

hot_inline bool is_shared(epoch r)
{
    return (r.v & EPOCH_TAG) != 0;
}

/* [READ SAME EPOCH]  R = E */
hot_inline bool read_same_epoch(epoch r, epoch e)
{
    return epoch_same(r, e);
}

/* [READ OWN WRITE]  W = E */
hot_inline bool read_own_write(epoch w, epoch e)
{
    return epoch_same(w, e);
}

/* [READ SHARED SAME EPOCH]  R = SHARED, V(t) = E; mine is V's entry for the reading thread */
hot_inline bool read_shared_same_epoch(uint32_t mine, epoch e)
{
    return mine == epoch_clock(e);
}

/* [WRITE-READ RACE], [WRITE-WRITE RACE]  W ⋠ C_t */
hot_inline bool races_with_write(epoch w, const uint32_t *clock)
{
    return !epoch_before(w, clock);
}

/* [READ EXCLUSIVE]  R ≠ SHARED, R ≼ C_t: the new read stands for the old one. Otherwise [READ SHARE]. */
hot_inline bool read_exclusive(epoch r, const uint32_t *clock)
{
    return epoch_before(r, clock);
}

/* [WRITE SAME EPOCH]  W = E */
hot_inline bool write_same_epoch(epoch w, epoch e)
{
    return epoch_same(w, e);
}

/* [READ-WRITE RACE]  R ≠ SHARED, R ⋠ C_t */
hot_inline bool races_with_read(epoch r, const uint32_t *clock)
{
    return !epoch_before(r, clock);
}
