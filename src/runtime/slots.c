#include "runtime/slots.h"

#include "runtime/history.h"
#include "runtime/slot_table.h"
#include "runtime/world.h"

struct slot_table slot_table = {.free = 1u << NARROW_SLOT_BITS};
uint32_t thread_slots;

static bool known_to_all(uint32_t slot, uint32_t last)
{
    for (const struct thread *t = registry.running; t != NULL; t = t->next_running)
        if (load_relaxed(&t->clock[slot]) < last)
            return false;
    return slot_pending_know(slot, last);
}

static void let_go(struct slot *s)
{
    struct thread *owner = s->owner;
    s->owner = NULL;
    slot_table.retired--;
    owner->slots_held--;
    thread_forget_locked(owner);
}

void slot_free_retired(uint32_t slot)
{
    let_go(&slot_table.slot[slot]);
    slot_table.slot[slot].state = SLOT_FREE;
    slot_table.free++;
    slot_table.free_from = 0;
}

/* A slot that goes on where it stopped. Looks at some each time, so that it does not take long. */
static bool take_retired(uint32_t *slot)
{
    enum { SOME = 1024, TRIES = 64 };
    static uint32_t at;
    for (uint32_t looked = 0, tried = 0; slot_table.retired > 0 && looked < thread_slots && looked < SOME;
         looked++) {
        at = at + 1 < thread_slots ? at + 1 : 0;
        struct slot *s = &slot_table.slot[at];
        if (s->state != SLOT_RETIRED || s->last == half_last(at))
            continue;
        if (known_to_all(at, s->last)) {
            let_go(s);
            s->first = s->last + 1;
            *slot = at;
            return true;
        }
        if (++tried == TRIES)
            break;
    }
    return false;
}

static bool take_free(uint32_t *slot)
{
    struct slot_table *table = &slot_table;
    if (table->free == 0)
        return false;
    while (table->slot[table->free_from].state != SLOT_FREE)
        table->free_from++;
    table->free--;
    *slot = table->free_from;
    table->slot[*slot].first = half_first(*slot) + 1;
    if (*slot >= thread_slots)
        store_release(&thread_slots, *slot + 1);
    return true;
}

bool slots_enter_locked(struct thread *t)
{
    static uint64_t moves;
    uint32_t slot;
    if (!take_retired(&slot) && !take_free(&slot))
        return false;
    struct slot *s = &slot_table.slot[slot];
    s->state = SLOT_OWNED;
    store_release(&s->owner, t);
    s->since = ++moves;
    t->slots_held++;
    t->slot = slot;
    t->era++;
    t->actor.now = s->first;
    store_relaxed(&t->clock[slot], s->first);
    history_forget_epochs(t, half_first(slot), half_last(slot)); /* of when it had the same slot before */
    return true;
}

void slots_retire_locked(struct thread *t)
{
    if (t->slot == NO_SLOT)
        return;
    struct slot *s = &slot_table.slot[t->slot];
    s->state = SLOT_RETIRED;
    s->last = t->clock[t->slot];
    slot_table.retired++;
    t->slot = NO_SLOT;
    history_change_context(t);
    t->actor.now = NOT_NARROW;
}

void slots_know_retired_locked(struct thread *t)
{
    for (uint32_t slot = 0; slot < thread_slots; slot++) {
        const struct slot *s = &slot_table.slot[slot];
        if (s->state == SLOT_RETIRED && t->clock[slot] < s->last)
            store_relaxed(&t->clock[slot], s->last);
    }
}

bool slots_retired_known_locked(const struct thread *t)
{
    for (uint32_t slot = 0; slot < thread_slots; slot++) {
        const struct slot *s = &slot_table.slot[slot];
        if (s->state == SLOT_RETIRED && t->clock[slot] < s->last)
            return false;
    }
    return true;
}

struct thread *thread_of_epoch(uint32_t half)
{
    const struct slot *s = &slot_table.slot[half_slot(half)];
    return half >= s->first ? s->owner : NULL;
}
