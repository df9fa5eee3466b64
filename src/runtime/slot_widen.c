/* More slots: one bit of every half goes from the clock to the slot (shadow/half.h). The shadow stays as it is, but for
 * what goes by slots. */
#include "runtime/slot_table.h"
#include "runtime/sync.h"
#include "shadow/sweep.h"

/* In all of these, half_bits is the new one already. */

static void widen_vector(uint32_t *clock, uint32_t length)
{
    for (uint32_t s = length; s-- > 0;) {
        uint32_t last = clock[s], middle = half_first(2 * s + 1);
        clock[2 * s + 1] = last >= middle ? last : 0;
        clock[2 * s] = last >= middle ? middle - 1 : last;
    }
}

static void widen_mailbox(struct mailbox *m)
{
    if (m->length == 0)
        return;
    sync_make_room(m, 2 * m->length);
    widen_vector(m->clock, m->length);
    m->length *= 2;
    m->snapshot = epoch_of_live(epoch_clock(m->snapshot));
}

/* A thread's: all but its entries. */
static void widen_whole(struct mailbox *m)
{
    if (m->clock == NULL)
        return;
    sync_make_whole(m);
    m->length *= 2;
    m->snapshot = epoch_of_live(epoch_clock(m->snapshot));
}

static void widen_slot(uint32_t slot)
{
    struct slot *lower = &slot_table.slot[2 * slot], *upper = lower + 1, old = slot_table.slot[slot];
    uint32_t middle = half_first(2 * slot + 1);
    uint32_t last = old.state == SLOT_OWNED ? old.owner->actor.now : old.last;
    bool high = old.state != SLOT_FREE && last >= middle;
    *lower = *upper = (struct slot){0};
    *(high ? upper : lower) = old;
    if (old.state == SLOT_OWNED)
        old.owner->slot = 2 * slot + high;
    if (!high)
        return;
    /* What the owner, or one before it, did in the lower half; if nothing mentions it, the next sweep frees it. */
    *lower = old;
    lower->state = SLOT_RETIRED;
    lower->last = middle - 1;
    upper->first = old.first > middle ? old.first : middle;
    old.owner->slots_held++;
    slot_table.retired++;
}

void slot_widen(void)
{
    uint32_t count = slot_count();
    sweep_settle();
    half_bits--;
    for (struct thread *t = registry.all; t != NULL; t = t->next) {
        widen_whole(&t->fenced);
        widen_whole(&t->loaded);
    }
    slot_pending_make_whole();
    slot_each_clock(&(struct each_clock){.vector = widen_vector, .mailbox = widen_mailbox});
    for (uint32_t s = count; s-- > 0;)
        widen_slot(s);
    thread_slots *= 2;
    slot_table.free = 0;
    slot_table.free_from = 0;
    for (uint32_t s = 0; s < 2 * count; s++)
        slot_table.free += slot_table.slot[s].state == SLOT_FREE;
}
