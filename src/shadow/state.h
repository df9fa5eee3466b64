/* The plain state of one location: R and W in 64 bits, changed by compare-and-swap only.
 *
 *   R | W     W: the last write, an epoch.  R: the reads since: none, an epoch, an interned set (shadow/sets.h) or a
 *             vector (shadow/vectors.h)
 *   BUSY      one thread is replacing the state. It is in its gate or in the slow path, so it does not wait for others,
 *             and no signal handler of its own comes in between. Others wait until it is done
 *
 * What else a tagged W may be, the owner of the location says (shadow/record.h).
 */
#pragma once

#include "shadow/readers.h"

#define BUSY     (NARROW_TAG | NARROW_TAG >> 1 | 1)
#define NO_STATE UINT64_MAX /* of no location: NOT_NARROW is in none */

/* [READ SAME EPOCH], [READ OWN WRITE], [WRITE SAME EPOCH]. A stale state is harmless here: "mine in this epoch"
 * changes only by an access of another thread that races with mine, and that access finds the race. */
hot_inline bool state_same_epoch(uint64_t state, enum access_kind kind, uint32_t now)
{
    return write_half(state) == now || (kind == PLAIN_READ && read_half(state) == now);
}

/* The same where R may be a vector. */
hot_inline bool state_same_epoch_shared(uint64_t state, enum access_kind kind, uint32_t now)
{
    return state_same_epoch(state, kind, now) ||
           (kind == PLAIN_READ && unlikely(is_vector(read_half(state))) && vector_has(read_half(state), now));
}

/* R of a plain state is a set or a vector. */
hot_inline bool state_shared(uint64_t state)
{
    return read_half(state) & ~write_half(state) & NARROW_TAG;
}

/* Of a shared state: has the thread read the location in this epoch? It looks only where it takes no time. */
hot_inline bool state_shared_known(uint64_t state, const struct actor *t)
{
    uint32_t r = read_half(state);
    return is_vector(r) ? vector_has(r, t->now) : sets_known_to_have(r, t->now, &t->memo);
}

/* Neither half is tagged: at most one reader. */
hot_inline bool state_simple(uint64_t state)
{
    return likely(!((write_half(state) | read_half(state)) & NARROW_TAG));
}

/* Of a simple state: does all of it happen before the thread's next access? */
hot_inline bool state_ordered(uint64_t state, const struct actor *t)
{
    return likely(half_before(write_half(state), t->clock)) &&
           likely(half_before(read_half(state), t->clock));
}

/* Then the access makes of it: [READ EXCLUSIVE], [WRITE EXCLUSIVE]. */
hot_inline uint64_t state_after(uint64_t state, enum access_kind kind, uint32_t now)
{
    return kind == PLAIN_READ ? (uint64_t)now << 32 | write_half(state) : now;
}

/* A read of a plain state by one of several readers: what the thread has made of such a state in this epoch before, and
 * remembers. 0: it does not. */
hot_inline uint64_t state_after_known(uint64_t state, const struct actor *t)
{
    uint32_t w = write_half(state), set = sets_known_with(read_half(state), t->now, &t->memo);
    return set != 0 && !(w & NARROW_TAG) && likely(half_before(w, t->clock)) ? (uint64_t)set << 32 | w : 0;
}

/* What the access makes of a state that has nothing to be looked up: the state itself where it was made in this epoch
 * before. 0: somebody else has to say (state_access). */
hot_inline uint64_t state_step(uint64_t state, enum access_kind kind, const struct actor *t)
{
    if (likely(state_simple(state)))
        return state_ordered(state, t) ? state_after(state, kind, t->now) : 0;
    return kind == PLAIN_READ ? state_after_known(state, t) : 0;
}

enum state_answer {
    STATE_SAME,    /* done: same epoch */
    STATE_CHANGED, /* done */
    STATE_AGAIN    /* the state is another by now: load it again */
};

/* A plain access to a location whose state was `seen`, not 0 by itself where that means freed memory
 * (shadow/freed.h), and whose W is not tagged. *conflict: what it races with. */
HIDDEN enum state_answer state_access(uint64_t *state, uint64_t seen, enum access_kind kind, struct actor *t,
                                      struct conflict *c);

/* Would a write race with the state? Nothing changes. */
HIDDEN struct conflict state_check_write(uint64_t seen, const struct actor *t);

/* The location had this state, and has another now: its vector, if any, is freed. Returns R as an epoch or set. */
HIDDEN uint32_t state_take_readers(uint64_t state);
