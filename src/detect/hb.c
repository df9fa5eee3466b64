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

void hb_free(struct hb *hb)
{
    struct mem *mem = &hb->host->mem;
    for (size_t i = 0; i < hb->thread_capacity; i++)
        if (hb->thread[i].clock != NULL)
            mem_free(mem, hb->thread[i].clock, hb->capacity * sizeof(uint32_t));
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
    for (size_t i = 0; i < hb->thread_capacity; i++)
        if (hb->thread[i].clock != NULL)
            bytes += hb->capacity * sizeof(uint32_t);
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
    for (size_t i = 0; i < rules; i++) {
        counted[i] = table[i];
        counted[i].fired = fired[i];
    }
    *out = (struct detector_stats){.rules = counted,
                                   .rule_count = rules,
                                   .max_clock = hb->max_clock,
                                   .sync_bytes = hb_bytes(hb),
                                   .sync_events = hb->sync_events};
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
    for (size_t i = 0; i < hb->thread_capacity; i++)
        if (hb->thread[i].clock != NULL)
            hb->thread[i].clock =
                mem_resize(&hb->host->mem, hb->thread[i].clock, hb->capacity * sizeof(uint32_t),
                           capacity * sizeof(uint32_t));
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

static void enter_slot(struct hb *hb, struct hb_thread *t)
{
    t->slot = take_slot(hb);
    set_now(hb, t, 1); /* entries of a fresh or recycled slot are 0 everywhere (invariant 3) */
}

static void tick(struct hb *hb, struct hb_thread *t)
{
    if (likely(t->now < slot_limit(hb, t->slot))) {
        set_now(hb, t, t->now + 1);
        return;
    }
    hb->slot_state[t->slot] = SLOT_RETIRED; /* t->clock keeps the slot's last value: t has reached it */
    enter_slot(hb, t);
}

static void zero_entry(struct mailbox *syncs, size_t count, uint32_t slot)
{
    for (size_t i = 0; i < count; i++) {
        if (slot < syncs[i].length)
            syncs[i].clock[slot] = 0;
        if (epoch_slot(syncs[i].snapshot) == slot)
            syncs[i].snapshot = (epoch){0};
    }
}

void hb_recycle(struct hb *hb, uint32_t slot)
{
    require(slot < hb->narrow_slots && hb->slot_state[slot] == SLOT_RETIRED);
    for (size_t i = 0; i < hb->thread_capacity; i++)
        if (hb->thread[i].clock != NULL)
            hb->thread[i].clock[slot] = 0;
    zero_entry(hb->lock, hb->lock_capacity, slot);
    zero_entry(hb->readers, hb->readers_capacity, slot);
    zero_entry(hb->volatiles, hb->volatiles_capacity, slot);
    zero_entry(hb->rounds, hb->rounds_capacity, slot);
    hb->free_slot = mem_reserve(&hb->host->mem, hb->free_slot, sizeof *hb->free_slot, &hb->free_capacity,
                                hb->free_count + 1);
    hb->free_slot[hb->free_count++] = slot;
    hb->slot_state[slot] = SLOT_FREE;
}

void hb_lowest(const struct hb *hb, uint32_t *lowest)
{
    memset(lowest, 0xff, hb->slots * sizeof *lowest);
    for (size_t i = 0; i < hb->thread_capacity; i++)
        if (hb->thread[i].running)
            for (uint32_t s = 0; s < hb->slots; s++)
                if (hb->thread[i].clock[s] < lowest[s])
                    lowest[s] = hb->thread[i].clock[s];
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
    s->clock = mem_resize(&hb->host->mem, s->clock, s->capacity * sizeof(uint32_t),
                          hb->capacity * sizeof(uint32_t));
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

void hb_start(struct hb *hb, uint32_t thread)
{
    widen_clocks(hb, hb->slots + 1);
    struct hb_thread *t = &hb->thread[thread];
    t->clock = mem_alloc(&hb->host->mem, hb->capacity * sizeof(uint32_t));
    t->running = true;
    enter_slot(hb, t);
}

/* [FORK]  C_u := C_u ⊔ C_t;  inc_t(C_t) */
static void fork_thread(struct hb *hb, uint32_t parent, uint32_t child)
{
    hb_start(hb, child);
    vclock_join(hb->thread[child].clock, hb->thread[parent].clock, hb->slots);
    tick(hb, &hb->thread[parent]);
}

/* [JOIN]  C_t := C_t ⊔ C_u */
static void join_thread(struct hb *hb, uint32_t joiner, uint32_t ended)
{
    struct hb_thread *u = &hb->thread[ended];
    vclock_join(hb->thread[joiner].clock, u->clock, hb->slots);
    if (!u->finished) { /* a second join of the same thread learns the same */
        u->finished = true;
        u->running = false;
        hb->slot_state[u->slot] = SLOT_RETIRED;
    }
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
        acquire(t, &hb->rounds[e->target]);
        if (e->flags & EVENT_LAST_OUT)
            mailbox_forget(&hb->rounds[e->target]);
        break;
    case OP_FORK:
        fork_thread(hb, e->thread, e->target);
        break;
    case OP_JOIN:
        join_thread(hb, e->thread, e->target);
        break;
    }
}
