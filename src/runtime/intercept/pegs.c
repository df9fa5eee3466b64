#include "runtime/intercept/pegs.h"

#include "runtime/past_sync.h"
#include "runtime/sync.h"

static char places[(PEG_CLASSES << PEG_BITS) + 1][4] __attribute__((aligned(64))); /* never touched */

static uintptr_t place_of(uint32_t which)
{
    return (uintptr_t)places[which];
}

void kernel_acquire(struct thread *t, uintptr_t place)
{
    t->inside++;
    sync_acquire(t, place);
    past_sync_add(t, SYNC_KERNEL, HISTORY_ACQUIRES, place, 0);
    thread_outside(t);
}

void kernel_release(struct thread *t, uintptr_t place)
{
    t->inside++;
    past_sync_add(t, SYNC_KERNEL, HISTORY_RELEASES, place, 0);
    sync_publish(t, place);
    thread_outside(t);
}

void peg_acquire(struct thread *t, uint32_t which)
{
    if (which != 0)
        kernel_acquire(t, place_of(which));
}

void peg_release(struct thread *t, uint32_t which)
{
    if (which != 0)
        kernel_release(t, place_of(which));
}
