#include "shadow/state.h"

hot_inline bool is_ordered(uint32_t reads, const struct actor *t)
{
    return reads & NARROW_TAG ? sets_first_unordered(reads, t->clock) == 0 : half_before(reads, t->clock);
}

uint32_t state_take_readers(uint64_t state)
{
    uint32_t reads = read_half(state);
    if (likely(!is_vector(reads)))
        return reads;
    uint32_t set = vector_intern(reads);
    vector_free(reads);
    return set;
}

struct conflict state_check_write(uint64_t seen, const struct actor *t)
{
    uint32_t w = write_half(seen), r = read_half(seen);
    if (w == t->now)
        return (struct conflict){0, PLAIN_READ};
    if (unlikely(!half_before(w, t->clock)))
        return (struct conflict){w, PLAIN_WRITE};
    return (struct conflict){
        is_vector(r) ? vector_first_unordered(r, t->clock) : sets_first_unordered(r, t->clock), PLAIN_READ};
}

/* A vector has no entry for the thread, whose slot is too high, or there are too many vectors: the readers
 * become a set. */
cold_path static enum state_answer read_into_set(uint64_t *state, uint64_t seen, struct actor *t)
{
    uint64_t w = write_half(seen), old = seen;
    if (!cas_acq_rel(state, &old, BUSY))
        return STATE_AGAIN;
    uint64_t reads = sets_with(state_take_readers(seen), t->now, t->clock, &t->memo);
    store_release(state, reads << 32 | w);
    return STATE_CHANGED;
}

/* [READ SHARE], [READ SHARED]  Words that the same threads read in the same epochs share one set. Where that does
 * not pay, since sets become too many (sets_with_old), each location gets a vector of its own. */
static enum state_answer read_shared(uint64_t *state, uint64_t seen, struct actor *t)
{
    uint32_t reads = read_half(seen);
    if (unlikely(!vector_possible(t->now)) || (!is_vector(reads) && unlikely(!vector_may_take())))
        return read_into_set(state, seen, t);
    if (is_vector(reads)) {
        enum readers_answer answer = readers_add(state, seen, t);
        return answer == READERS_AGAIN ? STATE_AGAIN : answer == READERS_ADDED ? STATE_CHANGED : STATE_SAME;
    }
    uint32_t set = sets_with_old(reads, t->now, t->clock, &t->memo);
    if (set == reads)
        return STATE_SAME;
    if (set != 0) {
        if (!cas_acq_rel(state, &seen, (uint64_t)set << 32 | write_half(seen)))
            return STATE_AGAIN;
        set_memo_served(&t->memo, true);
        return STATE_CHANGED;
    }
    uint32_t made = vector_new(reads, t->now, 0);
    if (likely(cas_acq_rel(state, &seen, (uint64_t)made << 32 | write_half(seen))))
        return STATE_CHANGED;
    vector_free(made);
    return STATE_AGAIN;
}

static enum state_answer read_access(uint64_t *state, uint64_t seen, struct actor *t, struct conflict *c)
{
    uint32_t w = write_half(seen), r = read_half(seen);
    if (unlikely(!half_before(w, t->clock))) /* [WRITE-READ RACE] */
        *c = (struct conflict){w, PLAIN_WRITE};
    if (is_vector(r) || !is_ordered(r, t))
        return read_shared(state, seen, t);
    return cas_acq_rel(state, &seen, state_after(seen, PLAIN_READ, t->now)) ? STATE_CHANGED : STATE_AGAIN;
}

/* The vector goes with the write: its readers are looked at once no more can come. */
static enum state_answer write_access(uint64_t *state, uint64_t seen, struct actor *t, struct conflict *c)
{
    uint64_t old = seen;
    if (!cas_acq_rel(state, &old, t->now))
        return STATE_AGAIN;
    *c = state_check_write(seen, t);
    if (is_vector(read_half(seen)))
        vector_free(read_half(seen));
    return STATE_CHANGED;
}

enum state_answer state_access(uint64_t *state, uint64_t seen, enum access_kind kind, struct actor *t,
                               struct conflict *c)
{
    *c = (struct conflict){0, PLAIN_READ};
    if (state_same_epoch(seen, kind, t->now))
        return STATE_SAME;
    return kind == PLAIN_READ ? read_access(state, seen, t, c) : write_access(state, seen, t, c);
}
