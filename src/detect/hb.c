#include "detect/hb.h"

#include <string.h>

void hb_init(struct hb *hb, struct host *host, uint32_t narrow_slots, uint32_t narrow_clock)
{
    *hb = (struct hb){.host = host, .narrow_slots = narrow_slots, .narrow_clock = narrow_clock};
}

static void free_syncs(struct hb *hb, struct mailbox *syncs, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++)
        mem_free(&hb->host->mem, syncs[i].clock, syncs[i].capacity * sizeof(uint32_t));
    mem_free(&hb->host->mem, syncs, capacity * sizeof *syncs);
}

/* Resizes what is kept of an ended thread's clock. */
static void set_final(struct hb *hb, struct hb_thread *t, size_t count)
{
    t->final =
        mem_resize(&hb->host->mem, t->final, t->final_count * sizeof *t->final, count * sizeof *t->final);
    t->final_count = count;
}

void hb_free(struct hb *hb)
{
    struct mem *mem = &hb->host->mem;
    for (size_t i = 0; i < hb->running_count; i++)
        mem_free(mem, hb->thread[hb->running[i]].clock, hb->capacity * sizeof(uint32_t));
    for (size_t i = 0; i < hb->ended_count; i++)
        set_final(hb, &hb->thread[hb->ended[i]], 0);
    mem_free(mem, hb->running, hb->running_capacity * sizeof *hb->running);
    mem_free(mem, hb->ended, hb->ended_capacity * sizeof *hb->ended);
    mem_free(mem, hb->thread, hb->thread_capacity * sizeof *hb->thread);
    free_syncs(hb, hb->lock, hb->lock_capacity);
    free_syncs(hb, hb->readers, hb->readers_capacity);
    free_syncs(hb, hb->volatiles, hb->volatiles_capacity);
    free_syncs(hb, hb->rounds, hb->rounds_capacity);
    mem_free(mem, hb->free_slot, hb->free_capacity * sizeof *hb->free_slot);
    mem_free(mem, hb->slot_state, hb->slot_state_capacity * sizeof *hb->slot_state);
}

void hb_extend(struct hb *hb)
{
    struct mem *mem = &hb->host->mem;
    const struct extent *x = &hb->host->extent;
    hb->thread = mem_reserve(mem, hb->thread, sizeof *hb->thread, &hb->thread_capacity, x->threads);
    hb->lock = mem_reserve(mem, hb->lock, sizeof(struct mailbox), &hb->lock_capacity, x->locks);
    hb->readers = mem_reserve(mem, hb->readers, sizeof(struct mailbox), &hb->readers_capacity, x->locks);
    hb->volatiles =
        mem_reserve(mem, hb->volatiles, sizeof(struct mailbox), &hb->volatiles_capacity, x->volatiles);
    hb->rounds = mem_reserve(mem, hb->rounds, sizeof(struct mailbox), &hb->rounds_capacity, x->rounds);
}

size_t hb_bytes(const struct hb *hb)
{
    size_t bytes = hb->thread_capacity * sizeof *hb->thread;
    bytes += hb->running_count * hb->capacity * sizeof(uint32_t);
    for (size_t i = 0; i < hb->ended_count; i++)
        bytes += hb->thread[hb->ended[i]].final_count * sizeof(struct hb_final);
    const struct {
        const struct mailbox *sync;
        size_t count;
    } all[] = {{hb->lock, hb->lock_capacity},
               {hb->readers, hb->readers_capacity},
               {hb->volatiles, hb->volatiles_capacity},
               {hb->rounds, hb->rounds_capacity}};
    for (size_t k = 0; k < array_length(all); k++)
        for (size_t i = 0; i < all[k].count; i++)
            bytes += sizeof(struct mailbox) + all[k].sync[i].capacity * sizeof(uint32_t);
    return bytes;
}

void hb_stats(const struct hb *hb, const struct rule_count *table, const uint64_t *fired,
              struct rule_count *counted, size_t rules, struct detector_stats *out)
{
    *out = (struct detector_stats){
        .max_clock = hb->max_clock, .sync_bytes = hb_bytes(hb), .sync_events = hb->sync_events};
    stats_rules(out, table, fired, counted, rules);
}

/* --- slots --- */

static uint32_t slot_limit(const struct hb *hb, uint32_t slot)
{
    return slot < hb->narrow_slots ? hb->narrow_clock : CLOCK_MAX;
}

/* All thread clocks have room for `slots` entries (invariant 4). */
static void widen_clocks(struct hb *hb, uint32_t slots)
{
    if (slots <= hb->capacity)
        return;
    uint32_t capacity = hb->capacity == 0 ? 16 : hb->capacity;
    while (capacity < slots)
        capacity *= 2;
    for (size_t i = 0; i < hb->running_count; i++) {
        struct hb_thread *t = &hb->thread[hb->running[i]];
        t->clock = mem_resize(&hb->host->mem, t->clock, hb->capacity * sizeof(uint32_t),
                              capacity * sizeof(uint32_t));
    }
    hb->capacity = capacity;
}

static uint32_t take_slot(struct hb *hb)
{
    uint32_t slot;
    if (hb->free_count == 0 && hb->slots >= hb->narrow_slots && hb->reclaim != NULL)
        hb->reclaim(hb->reclaim_self);
    if (hb->free_count > 0)
        slot = hb->free_slot[--hb->free_count];
    else
        slot = hb->slots++;
    widen_clocks(hb, hb->slots);
    hb->slot_state = mem_reserve(&hb->host->mem, hb->slot_state, sizeof *hb->slot_state,
                                 &hb->slot_state_capacity, hb->slots);
    hb->slot_state[slot] = SLOT_OWNED;
    return slot;
}

/* inc_t, and the only place where a thread's own entry changes. */
static void set_now(struct hb *hb, struct hb_thread *t, uint32_t now)
{
    t->now = now;
    t->clock[t->slot] = now;
    t->epoch = epoch_of(t->slot, now);
    hb->max_clock = max_u64(hb->max_clock, now);
}

static void tick(struct hb *hb, struct hb_thread *t)
{
    if (likely(t->now < slot_limit(hb, t->slot))) {
        set_now(hb, t, t->now + 1);
        return;
    }
    hb->slot_state[t->slot] = SLOT_RETIRED; /* t->clock keeps the slot's last value: t has reached it */
    t->slot = take_slot(hb);
    set_now(hb, t, 1);
}

/* Slots that are being recycled, and how far their entries reach. */
struct recycling {
    const bool *slot; /* by narrow slot */
    uint32_t count;
};

static bool recycled(const struct recycling *r, uint32_t slot)
{
    return slot < r->count && r->slot[slot];
}

static void zero_entries(const struct recycling *r, uint32_t *clock, uint32_t length)
{
    for (uint32_t s = 0; s < r->count && s < length; s++)
        if (r->slot[s])
            clock[s] = 0;
}

static void recycle_in(const struct recycling *r, struct mailbox *syncs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        zero_entries(r, syncs[i].clock, syncs[i].length);
        if (recycled(r, epoch_slot(syncs[i].snapshot)))
            syncs[i].snapshot = (epoch){0};
    }
}

static void recycle_in_ended(struct hb *hb, const struct recycling *r)
{
    size_t still = 0;
    for (size_t i = 0; i < hb->ended_count; i++) {
        struct hb_thread *t = &hb->thread[hb->ended[i]];
        size_t kept = 0;
        for (size_t k = 0; k < t->final_count; k++)
            if (!recycled(r, t->final[k].slot))
                t->final[kept++] = t->final[k];
        set_final(hb, t, kept);
        if (kept > 0)
            hb->ended[still++] = hb->ended[i];
    }
    hb->ended_count = still;
}

/* One pass over all clocks, however many slots come back. */
uint32_t hb_recycle(struct hb *hb, const bool *referred)
{
    struct mem *mem = &hb->host->mem;
    uint32_t freed = 0;
    bool *slot = mem_alloc(mem, hb->narrow_slots * sizeof *slot);
    for (uint32_t s = 0; s < hb->narrow_slots; s++)
        if (hb->slot_state[s] == SLOT_RETIRED && !referred[s]) {
            slot[s] = true;
            hb->slot_state[s] = SLOT_FREE;
            hb->free_slot = mem_reserve(mem, hb->free_slot, sizeof *hb->free_slot, &hb->free_capacity,
                                        hb->free_count + 1);
            hb->free_slot[hb->free_count++] = s;
            freed++;
        }
    struct recycling r = {slot, hb->narrow_slots};
    if (freed > 0) {
        for (size_t i = 0; i < hb->running_count; i++)
            zero_entries(&r, hb->thread[hb->running[i]].clock, hb->capacity);
        recycle_in_ended(hb, &r);
        recycle_in(&r, hb->lock, hb->lock_capacity);
        recycle_in(&r, hb->readers, hb->readers_capacity);
        recycle_in(&r, hb->volatiles, hb->volatiles_capacity);
        recycle_in(&r, hb->rounds, hb->rounds_capacity);
    }
    mem_free(mem, slot, hb->narrow_slots * sizeof *slot);
    return freed;
}

void hb_lowest(const struct hb *hb, uint32_t *lowest)
{
    memset(lowest, 0xff, hb->slots * sizeof *lowest);
    for (size_t i = 0; i < hb->running_count; i++) {
        const uint32_t *clock = hb->thread[hb->running[i]].clock;
        for (uint32_t s = 0; s < hb->slots; s++)
            if (clock[s] < lowest[s])
                lowest[s] = clock[s];
    }
}

/* --- the three steps on a sync object --- */

static void acquire(struct hb_thread *t, const struct mailbox *s)
{
    mailbox_acquire(s, t->clock);
}

static void make_room(struct hb *hb, struct mailbox *s)
{
    if (likely(s->capacity >= hb->slots))
        return;
    s->clock =
        mem_resize(&hb->host->mem, s->clock, s->capacity * sizeof(uint32_t), hb->capacity * sizeof(uint32_t));
    s->capacity = hb->capacity;
}

static void release(struct hb *hb, struct hb_thread *t, struct mailbox *s)
{
    make_room(hb, s);
    mailbox_release(s, t->clock, hb->slots, t->epoch);
    tick(hb, t);
}

static void publish(struct hb *hb, struct hb_thread *t, struct mailbox *s)
{
    make_room(hb, s);
    mailbox_publish(s, t->clock, hb->slots, t->epoch);
    tick(hb, t);
}

/* --- threads --- */

/* Into the running threads only with a slot: taking one may sweep (hb_lowest), and a thread that knows
 * nothing yet must not count there. */
void hb_start(struct hb *hb, uint32_t thread)
{
    struct hb_thread *t = &hb->thread[thread];
    t->slot = take_slot(hb);
    t->clock = mem_alloc(&hb->host->mem, hb->capacity * sizeof(uint32_t));
    hb->running = mem_reserve(&hb->host->mem, hb->running, sizeof *hb->running, &hb->running_capacity,
                              hb->running_count + 1);
    t->place = (uint32_t)hb->running_count;
    hb->running[hb->running_count++] = thread;
    set_now(hb, t, 1); /* entries of a fresh or recycled slot are 0 everywhere (invariant 3) */
}

/* [FORK]  C_u := C_u ⊔ C_t;  inc_t(C_t) */
static void fork_thread(struct hb *hb, uint32_t parent, uint32_t child)
{
    hb_start(hb, child);
    vclock_join(hb->thread[child].clock, hb->thread[parent].clock, hb->slots);
    tick(hb, &hb->thread[parent]);
}

static void keep_final(struct hb *hb, uint32_t thread)
{
    struct hb_thread *t = &hb->thread[thread];
    size_t known = 0;
    for (uint32_t s = 0; s < hb->slots; s++)
        known += t->clock[s] != 0;
    set_final(hb, t, known);
    for (uint32_t s = 0, k = 0; s < hb->slots; s++)
        if (t->clock[s] != 0)
            t->final[k++] = (struct hb_final){s, t->clock[s]};
    hb->ended =
        mem_reserve(&hb->host->mem, hb->ended, sizeof *hb->ended, &hb->ended_capacity, hb->ended_count + 1);
    hb->ended[hb->ended_count++] = thread;
}

static void end_thread(struct hb *hb, uint32_t thread)
{
    struct hb_thread *t = &hb->thread[thread];
    mem_free(&hb->host->mem, t->clock, hb->capacity * sizeof(uint32_t));
    t->clock = NULL;
    hb->slot_state[t->slot] = SLOT_RETIRED;
    uint32_t last = hb->running[--hb->running_count];
    hb->running[t->place] = last;
    hb->thread[last].place = t->place;
}

static void learn_final(struct hb_thread *t, const struct hb_thread *u)
{
    for (size_t i = 0; i < u->final_count; i++)
        if (u->final[i].clock > t->clock[u->final[i].slot])
            t->clock[u->final[i].slot] = u->final[i].clock;
}

/* [JOIN]  C_t := C_t ⊔ C_u. A second join of the same thread learns the same; if there will be none, C_u is
 * not kept. */
static void join_thread(struct hb *hb, const struct event *e)
{
    struct hb_thread *t = &hb->thread[e->thread], *u = &hb->thread[e->target];
    if (u->clock == NULL) {
        learn_final(t, u);
        return;
    }
    if (!(e->flags & EVENT_NOBODY))
        vclock_join(t->clock, u->clock, hb->slots);
    if (!(e->flags & EVENT_LAST_OUT))
        keep_final(hb, e->target);
    end_thread(hb, e->target);
}

void hb_sync(struct hb *hb, const struct event *e)
{
    struct hb_thread *t = &hb->thread[e->thread];
    hb->sync_events++;
    switch (e->op) {
    case OP_ACQUIRE: /* [ACQUIRE] */
        acquire(t, &hb->lock[e->target]);
        acquire(t, &hb->readers[e->target]);
        break;
    case OP_RELEASE: /* [RELEASE]; what readers released is below C_t now */
        release(hb, t, &hb->lock[e->target]);
        mailbox_forget(&hb->readers[e->target]);
        break;
    case OP_READ_ACQUIRE:
        acquire(t, &hb->lock[e->target]);
        break;
    case OP_READ_RELEASE:
        publish(hb, t, &hb->readers[e->target]);
        break;
    case OP_VREAD:
        acquire(t, &hb->volatiles[e->target]);
        break;
    case OP_VWRITE:
        publish(hb, t, &hb->volatiles[e->target]);
        break;
    case OP_BARRIER_IN:
        publish(hb, t, &hb->rounds[e->target]);
        break;
    case OP_BARRIER_OUT:
        if (!(e->flags & EVENT_NOBODY))
            acquire(t, &hb->rounds[e->target]);
        if (e->flags & EVENT_LAST_OUT)
            mailbox_forget(&hb->rounds[e->target]);
        break;
    case OP_FORK:
        fork_thread(hb, e->thread, e->target);
        break;
    case OP_JOIN:
        join_thread(hb, e);
        break;
    }
}
