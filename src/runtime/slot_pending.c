/* What calls that are still to come (runtime/pending.h) mean for slots. */
#include "runtime/completeness.h"
#include "runtime/pending.h"
#include "runtime/slot_table.h"
#include "runtime/sync.h"

static struct pending *all;

/* --- asking --- */

static void enlist(struct pending *p)
{
    p->next = all;
    p->previous = NULL;
    if (all != NULL)
        all->previous = p;
    all = p;
}

static void delist(struct pending *p)
{
    if (p->previous != NULL)
        p->previous->next = p->next;
    else
        all = p->next;
    if (p->next != NULL)
        p->next->previous = p->previous;
    p->calls = 0;
    sync_give_clock(&p->known);
}

/* All calls will know what every one of them will. */
void pending_ask(struct thread *t, struct pending *p, bool knows)
{
    spin_lock(&registry.lock);
    bool first = p->calls++ == 0;
    if (first)
        enlist(p);
    sync_make_whole(&p->known);
    uint32_t *clock = p->known.clock;
    for (uint32_t s = 0; s < thread_slots; s++) {
        uint32_t known = knows && t->ignore_sync == 0 ? t->clock[s] : 0;
        clock[s] = first || known < clock[s] ? known : clock[s];
    }
    spin_unlock(&registry.lock);
}

void pending_one_less(struct pending *p)
{
    spin_lock(&registry.lock);
    if (p->calls > 0 && --p->calls == 0)
        delist(p);
    spin_unlock(&registry.lock);
}

void pending_none(struct pending *p)
{
    spin_lock(&registry.lock);
    if (p->calls > 0)
        delist(p);
    spin_unlock(&registry.lock);
}

void pending_forked_locked(void)
{
    while (all != NULL)
        delist(all);
}

/* --- slots --- */

bool slot_pending_know(uint32_t slot, uint32_t last)
{
    const struct pending *p = all;
    while (p != NULL && p->known.clock[slot] >= last)
        p = p->next;
    return p == NULL;
}

void slot_pending_lower(uint32_t *known)
{
    for (const struct pending *p = all; p != NULL; p = p->next)
        for (uint32_t s = 0; s < thread_slots; s++)
            known[s] = p->known.clock[s] < known[s] ? p->known.clock[s] : known[s];
}

bool slot_pending_learn(const uint32_t *known)
{
    for (struct pending *p = all; p != NULL; p = p->next)
        vclock_join(p->known.clock, known, thread_slots);
    if (all != NULL)
        store_relaxed(&unmodelled_called[UNMODELLED_SIGEV_THREAD], true);
    return all != NULL;
}

void slot_pending_each(void (*vector)(uint32_t *clock, uint32_t length))
{
    for (struct pending *p = all; p != NULL; p = p->next)
        vector(p->known.clock, thread_slots);
}

void slot_pending_make_whole(void)
{
    for (struct pending *p = all; p != NULL; p = p->next)
        sync_make_whole(&p->known);
}
