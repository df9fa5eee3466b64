#include "runtime/intercept/pegs.h"

#include "runtime/past_sync.h"
#include "runtime/sync.h"

static char places[(PEG_CLASSES << PEG_BITS) + 1][4] __attribute__((aligned(64))); /* never touched */

static uintptr_t place_of(uint32_t which)
{
    return (uintptr_t)places[which];
}

void peg_acquire(struct thread *t, uint32_t which)
{
    if (which == 0)
        return;
    t->inside++;
    sync_acquire(t, place_of(which));
    past_sync_add(t, SYNC_KERNEL, HISTORY_ACQUIRES, place_of(which), 0);
    thread_outside(t);
}

/* Several may release without having acquired. */
void peg_release(struct thread *t, uint32_t which)
{
    if (which == 0)
        return;
    t->inside++;
    past_sync_add(t, SYNC_KERNEL, HISTORY_RELEASES, place_of(which), 0);
    sync_publish(t, place_of(which));
    thread_outside(t);
}
