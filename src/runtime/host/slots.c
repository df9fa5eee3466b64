/* runtime/slots.h on the generic host, where detectors have clocks of their own: nobody asks for those of
 * thread.c. All threads "count" in one slot, which does not keep them from being forgotten: host/threads.c
 * remembers what reports say of them. */
#include "runtime/slots.h"

#include "runtime/host/events.h"
#include "runtime/host/recorder.h"
#include "runtime/pending.h"
#include "runtime/sync.h"

uint32_t thread_slots;

/* Under the recorder not even that: it has other epochs (host/hints.h). */
bool slots_enter_locked(struct thread *t)
{
    if (recorder_chosen)
        return true;
    t->slot = 0;
    t->actor.now = half_first(0) + 1;
    return true;
}

void slots_retire_locked(struct thread *t)
{
    t->slot = NO_SLOT;
    t->actor.now = NOT_NARROW;
}

struct thread *thread_of_epoch(uint32_t half)
{
    (void)half;
    return NULL;
}

void slots_know_retired_locked(struct thread *t)
{
    (void)t;
}

/* Every access is an event: nobody is alone (runtime/single_threaded.h). */
bool slots_retired_known_locked(const struct thread *t)
{
    (void)t;
    return false;
}

void slots_sweep_stopped(void)
{
}

bool slots_garbage_due(void)
{
    return false;
}

void pf_slots_counts(uint32_t *swept, uint32_t *merged, uint32_t *widened)
{
    *swept = *merged = *widened = 0;
}

/* Detectors read `closed_world` when they look for what all threads know (detect/detector.h). What they dropped until now, the thread that
 * asks for the call knows, and so will the call. */
void pending_ask(struct thread *t, struct pending *p, bool knows)
{
    (void)t, (void)p, (void)knows;
    events_open_world();
}

void pending_one_less(struct pending *p)
{
    (void)p;
}

void pending_none(struct pending *p)
{
    (void)p;
}

void pending_forked_locked(void)
{
}

void sync_give_clock(struct mailbox *m)
{
    (void)m;
}
