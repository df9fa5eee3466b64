/* FastTrack2's rules applied to one variable in its plain form: 64-bit epochs, and the events that set them.
 * fasttrack2l keeps variables so; fasttrack2 brings what does not fit its packed word into this form. */
#pragma once

#include "detect/accesses.h"
#include "detect/fasttrack2_rules.h"
#include "detect/hb.h"

struct fasttrack2_variable {
    epoch w, r;
    uint64_t w_event, r_event; /* r_event: while R is an epoch; a set knows its own events */
};

hot_inline struct accesses *read_set(struct access_sets *sets, epoch r)
{
    return &sets->set[r.v & ~EPOCH_TAG];
}

static inline void read_set_drop(struct access_sets *sets, epoch r)
{
    access_sets_drop(sets, (uint32_t)r.v);
}

static inline void fasttrack2_clear(struct fasttrack2_variable *v, struct access_sets *sets)
{
    if (is_shared(v->r))
        read_set_drop(sets, v->r);
    *v = (struct fasttrack2_variable){0};
}

/* The same with a read set of its own. */
static inline struct fasttrack2_variable fasttrack2_copy(const struct fasttrack2_variable *v,
                                                         struct access_sets *sets)
{
    struct fasttrack2_variable own = *v;
    if (is_shared(v->r)) {
        own.r = (epoch){EPOCH_TAG | access_sets_new(sets)};
        accesses_copy(read_set(sets, own.r), read_set(sets, v->r), sets);
    }
    return own;
}

/* R after a read that is not a same-epoch one. */
static inline int remember_read(struct fasttrack2_variable *v, struct access_sets *sets,
                                const struct hb_thread *t, uint64_t n)
{
    if (is_shared(v->r)) {
        accesses_set(read_set(sets, v->r), sets, t->epoch, n);
        return READ_SHARED;
    }
    if (likely(read_exclusive(v->r, t->clock))) {
        v->r = t->epoch;
        v->r_event = n;
        return READ_EXCLUSIVE;
    }
    epoch both = {EPOCH_TAG | access_sets_new(sets)};
    struct accesses *set = read_set(sets, both);
    accesses_set(set, sets, v->r, v->r_event);
    accesses_set(set, sets, t->epoch, n);
    v->r = both;
    return READ_SHARE;
}

/* A read of variable x by t, event n. */
static inline int fasttrack2_read(struct fasttrack2_variable *v, struct access_sets *sets,
                                  const struct hb_thread *t, uint32_t x, uint64_t n)
{
    if (read_same_epoch(v->r, t->epoch))
        return READ_SAME_EPOCH;
    if (read_own_write(v->w, t->epoch))
        return READ_OWN_WRITE;
    if (is_shared(v->r) && read_shared_same_epoch(accesses_clock(read_set(sets, v->r), t->slot), t->epoch))
        return READ_SHARED_SAME_EPOCH;
    bool race = races_with_write(v->w, t->clock);
    if (unlikely(race))
        host_race(sets->host, RACE_WRITE_READ, x, v->w_event, n);
    int rule = remember_read(v, sets, t, n);
    return race ? WRITE_READ_RACE : rule;
}

/* The reads since the last write against a write by t. */
static inline int check_reads(struct fasttrack2_variable *v, struct access_sets *sets,
                              const struct hb_thread *t, uint32_t x, uint64_t n)
{
    if (unlikely(is_shared(v->r))) {
        bool race = accesses_race(read_set(sets, v->r), t->clock, sets->host, RACE_READ_WRITE, x, n);
        read_set_drop(sets, v->r);
        return race ? SHARED_WRITE_RACE : WRITE_SHARED;
    }
    if (unlikely(races_with_read(v->r, t->clock))) {
        host_race(sets->host, RACE_READ_WRITE, x, v->r_event, n);
        return READ_WRITE_RACE;
    }
    return WRITE_EXCLUSIVE;
}

/* A write of variable x by t, event n. */
static inline int fasttrack2_write(struct fasttrack2_variable *v, struct access_sets *sets,
                                   const struct hb_thread *t, uint32_t x, uint64_t n)
{
    if (write_same_epoch(v->w, t->epoch))
        return WRITE_SAME_EPOCH;
    bool race = races_with_write(v->w, t->clock);
    if (unlikely(race))
        host_race(sets->host, RACE_WRITE_WRITE, x, v->w_event, n);
    int rule = check_reads(v, sets, t, x, n);
    *v = (struct fasttrack2_variable){.w = t->epoch, .w_event = n};
    return race ? WRITE_WRITE_RACE : rule;
}
