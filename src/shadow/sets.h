/* Sets of epochs, interned: the readers of a read-shared location as a 30-bit index.
 *
 * A set is immutable and exists once, so that a million locations read by the same threads in the same epochs
 * share one. A half with the tag bit is a set's index; without it, a single epoch. Entries are narrow epochs
 * of different slots, ascending.
 *
 * Adding a reader drops entries that happen before it: whatever is unordered with a dropped one later is
 * unordered with the new one too.
 *
 * Sets that no word and no record names any more are found by sweeping; until then they stay.
 */
#pragma once

#include "base/atomic.h"
#include "shadow/half.h"

/* Remembers the last answers of sets_with for one thread: scanning a shared array asks the same again.
 *
 * `churn` says how well sets serve the thread: it goes up with each new set that it makes and down with each word that
 * gets one which exists. Sets stay for good, so above the limit sets_with_old makes no more, and looks only now and then
 * whether they serve again. */
enum { SET_MEMO = 64, CHURN_NEW_SET = 16, CHURN_LOOK_AFTER = 16 };
#ifndef SETS_CHURN_LIMIT /* a test build has it at 1 */
#define SETS_CHURN_LIMIT 64
#endif
struct set_memo {
    struct {
        uint32_t from, now, to;
    } with[SET_MEMO];
    uint32_t churn, asked;
    uint64_t has_now; /* a set that the thread was in lately, and its epoch then, which is the low half */
};

hot_inline void set_memo_served(struct set_memo *memo, bool served)
{
    memo->churn -= served & (memo->churn != 0);
}

hot_inline unsigned set_memo_slot(uint32_t reads)
{
    return (reads ^ reads >> 8) % SET_MEMO;
}

/* What sets_with answers, if the memo knows; otherwise 0. */
hot_inline uint32_t sets_known_with(uint32_t reads, uint32_t now, const struct set_memo *memo)
{
    unsigned slot = set_memo_slot(reads);
    return memo->with[slot].from == reads && memo->with[slot].now == now ? memo->with[slot].to : 0;
}

/* Does the set have the thread's epoch? True if the memo knows. Asked without the gate (shadow/gate.h): a sweep clears the memo
 * before a set's index can be another's. */
hot_inline bool sets_known_to_have(uint32_t set, uint32_t now, const struct set_memo *memo)
{
    return likely(load_relaxed(&memo->has_now) == ((uint64_t)set << 32 | now)) ||
           sets_known_with(set, now, memo) == set;
}

/* The thread, which is in its gate, is in this set with its epoch. */
hot_inline void set_memo_has(struct set_memo *memo, uint32_t set, uint32_t now)
{
    store_relaxed(&memo->has_now, (uint64_t)set << 32 | now);
}

/* reads (an epoch or a set) with the epoch `now` of a thread with this clock. */
HIDDEN uint32_t sets_with(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo);

/* The same, or 0 where it would be yet another set among too many (shadow/readers.h). */
HIDDEN uint32_t sets_with_old(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo);

/* The half of these epochs, which are of different slots, in any order; none: 0. */
HIDDEN uint32_t sets_of(const uint32_t *half, uint32_t count);

/* The same together with those of `reads` (an epoch or a set); of one slot, the later. */
HIDDEN uint32_t sets_joined(uint32_t reads, const uint32_t *half, uint32_t count);

/* An epoch in `reads` (an epoch or a set) that does not happen before the clock, or 0. */
HIDDEN uint32_t sets_first_unordered(uint32_t reads, const uint32_t *clock);

/* Calls visit(entry) for each epoch in `reads`. */
HIDDEN void sets_visit(uint32_t reads, void (*visit)(uint32_t epoch, void *to), void *to);

/* --- sweeping (shadow/sweep.h), while the world is stopped --- */

/* `renaming`: epochs will have other names, and sets of old and new ones are not to be mixed up. */
HIDDEN void sets_sweep_begin(bool renaming);
/* What is left of a set without the epochs that are `known`, the others renamed by `map` unless it is NULL: a half.
 * Whoever names the set shall name that instead. */
HIDDEN uint32_t sets_swept(uint32_t half, const uint32_t *known, uint32_t (*map)(uint32_t half));
/* Gives back the sets that nobody has asked about since the beginning. Where an epoch of another is lower than what
 * `lowest` has for its slot, it takes its place. */
HIDDEN void sets_sweep_end(uint32_t *lowest);

/* How many there are. */
HIDDEN uint32_t sets_live(void);
