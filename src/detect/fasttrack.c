/* fasttrack: the original FastTrack, as 000 §3.3 and 003 describe it.
 *
 * Differs from FastTrack2 in two rules: there is no [READ SHARED SAME EPOCH], so every read of a read-shared
 * variable updates its read vector; and only [WRITE SHARED] resets the reads, [WRITE EXCLUSIVE] leaves R be.
 * (Its [JOIN] also increments the joined thread's clock; that thread does nothing any more, so the increment
 * cannot be observed and is left out, as in 000.)
 */
#include "detect/accesses.h"

enum rule {
    READ_SAME_EPOCH,
    READ_EXCLUSIVE,
    READ_SHARED,
    READ_SHARE,
    WRITE_READ_RACE,
    WRITE_SAME_EPOCH,
    WRITE_EXCLUSIVE,
    WRITE_SHARED,
    WRITE_WRITE_RACE,
    READ_WRITE_RACE,
    SHARED_WRITE_RACE,
    RULES
};

static const struct rule_count rule_table[RULES] = {
    [READ_SAME_EPOCH] = {.rule = "READ SAME EPOCH", .same_epoch = true},
    [READ_EXCLUSIVE] = {.rule = "READ EXCLUSIVE"},
    [READ_SHARED] = {.rule = "READ SHARED"},
    [READ_SHARE] = {.rule = "READ SHARE"},
    [WRITE_READ_RACE] = {.rule = "WRITE-READ RACE"},
    [WRITE_SAME_EPOCH] = {.rule = "WRITE SAME EPOCH", .same_epoch = true},
    [WRITE_EXCLUSIVE] = {.rule = "WRITE EXCLUSIVE"},
    [WRITE_SHARED] = {.rule = "WRITE SHARED"},
    [WRITE_WRITE_RACE] = {.rule = "WRITE-WRITE RACE"},
    [READ_WRITE_RACE] = {.rule = "READ-WRITE RACE"},
    [SHARED_WRITE_RACE] = {.rule = "SHARED-WRITE RACE"},
};

struct variable {
    epoch w, r; /* r is none while `shared` holds the reads */
    uint64_t w_event, r_event;
    bool is_shared;
    struct accesses shared;
};

static inline void variable_clear(struct variable *v, struct access_sets *sets)
{
    (void)sets;
    *v = (struct variable){.shared = v->shared};
    accesses_clear(&v->shared);
}

static inline void variable_copy(struct variable *to, const struct variable *from, struct access_sets *sets)
{
    accesses_copy(&to->shared, &from->shared, sets);
    struct accesses shared = to->shared;
    *to = *from;
    to->shared = shared;
}

static inline void variable_free(struct variable *v, struct access_sets *sets)
{
    accesses_free(&v->shared, sets);
}

#include "detect/clocked.h"

static int remember_read(struct clocked *d, struct variable *v, const struct hb_thread *t, uint64_t n)
{
    if (v->is_shared) { /* [READ SHARED]  V := V[t := E] */
        accesses_set(&v->shared, &d->sets, t->epoch, n);
        return READ_SHARED;
    }
    if (epoch_before(v->r, t->clock)) { /* [READ EXCLUSIVE]  R ≼ C_t:  R := E */
        v->r = t->epoch;
        v->r_event = n;
        return READ_EXCLUSIVE;
    }
    /* [READ SHARE]  R = u@c ⋠ C_t:  V := [t := E, u := R], R := SHARED */
    accesses_set(&v->shared, &d->sets, v->r, v->r_event);
    accesses_set(&v->shared, &d->sets, t->epoch, n);
    v->is_shared = true;
    v->r = (epoch){0};
    return READ_SHARE;
}

static inline int on_read(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    const struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    if (epoch_same(v->r, t->epoch)) /* [READ SAME EPOCH]  R = E */
        return READ_SAME_EPOCH;
    bool race = !epoch_before(v->w, t->clock); /* [WRITE-READ RACE]  W ⋠ C_t */
    if (unlikely(race))
        host_race(d->host, RACE_WRITE_READ, x, v->w_event, n);
    int rule = remember_read(d, v, t, n);
    return race ? WRITE_READ_RACE : rule;
}

static int check_reads(struct clocked *d, struct variable *v, const struct hb_thread *t, uint32_t x,
                       uint64_t n)
{
    if (!v->is_shared) {
        if (epoch_before(v->r, t->clock)) /* [WRITE EXCLUSIVE]  R ≼ C_t:  W := E */
            return WRITE_EXCLUSIVE;
        host_race(d->host, RACE_READ_WRITE, x, v->r_event, n); /* [READ-WRITE RACE]  R ⋠ C_t */
        return READ_WRITE_RACE;
    }
    /* [WRITE SHARED]  V ⊑ C_t:  W := E, R := ⊥;   [SHARED-WRITE RACE]  V ⋢ C_t */
    bool race = accesses_race(&v->shared, t->clock, d->host, RACE_READ_WRITE, x, n);
    accesses_clear(&v->shared);
    v->is_shared = false;
    return race ? SHARED_WRITE_RACE : WRITE_SHARED;
}

static inline int on_write(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    const struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    if (epoch_same(v->w, t->epoch)) /* [WRITE SAME EPOCH]  W = E */
        return WRITE_SAME_EPOCH;
    bool race = !epoch_before(v->w, t->clock); /* [WRITE-WRITE RACE]  W ⋠ C_t */
    if (unlikely(race))
        host_race(d->host, RACE_WRITE_WRITE, x, v->w_event, n);
    int rule = check_reads(d, v, t, x, n);
    v->w = t->epoch;
    v->w_event = n;
    return race ? WRITE_WRITE_RACE : rule;
}

DETECTOR(fasttrack, struct clocked, .name = "fasttrack", .source = "FastTrack (2009)",
         .promise = "precise; the original FastTrack: a write to shared data resets its reads",
         .precise = true);
