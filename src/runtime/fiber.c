/* Fibers, as the program tells of them: __tsan_create_fiber and its relatives.
 *
 * A fiber is a thread of ours that no thread of the kernel belongs to: it has its own clock, call stack,
 * history and locks, and is told from others in reports. Which one the calling thread is (thread_self)
 * changes at a switch. What the kernel's thread brings along goes with it: signals that wait, its number, and
 * the fiber that it began as, which is the one that ends with it.
 *
 * A switch orders what the fiber that is left did before what the other does next, unless it is asked not to.
 */
#include "runtime/fiber.h"

#include "runtime/intercept/caller.h"
#include "runtime/single_threaded.h"
#include "runtime/sync.h"
#include "runtime/world.h"

#define ENTRY __attribute__((visibility("default")))

enum { SWITCH_NO_SYNC = 1 };

bool fibers_exist;

ENTRY void *__tsan_get_current_fiber(void);
ENTRY void *__tsan_get_current_fiber(void)
{
    return thread_current();
}

ENTRY void *__tsan_create_fiber(unsigned flags);
ENTRY void *__tsan_create_fiber(unsigned flags)
{
    struct thread *self = thread_current();
    (void)flags;
    self->inside++;
    store_relaxed(&fibers_exist, true);
    single_threaded_forbid();
    struct thread *fiber = thread_prepare(self, CALLER_PC);
    fiber->kernel_id = self->kernel_id;
    fiber->creating = false;
    fiber->detached = true; /* nobody joins it */
    thread_outside(self);
    return fiber;
}

ENTRY void __tsan_destroy_fiber(struct thread *fiber);
ENTRY void __tsan_destroy_fiber(struct thread *fiber)
{
    struct thread *self = thread_current();
    if (fiber == NULL || fiber == self || fiber == self->home)
        return;
    self->inside++;
    if (heap_thread_ends != NULL)
        heap_thread_ends(fiber);
    thread_abandon(fiber);
    thread_outside(self);
}

/* --- switching --- */

static void order(struct thread *from, struct thread *to)
{
    if (host_forked != NULL) { /* the generic host keeps clocks elsewhere */
        sync_publish(from, (uintptr_t)to);
        sync_acquire(to, (uintptr_t)to);
        return;
    }
    world_enter(from);
    vclock_join(to->clock, from->clock, thread_slots); /* nobody else has it: it does not run */
    thread_tick(from);
    world_leave(from);
}

/* A signal that arrives is put off by the one or the other, which are both inside; in the end by the new one.
 */
static void become(struct thread *from, struct thread *to)
{
    struct thread *home = from->home != NULL ? from->home : from;
    to->home = to != home ? home : NULL;
    to->kernel_id = from->kernel_id;
    thread_self = to;
    single_threaded_show_epoch(to);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (from->put_off.waits) {
        to->put_off = from->put_off;
        from->put_off.waits = from->put_off.steps = false;
    }
}

ENTRY void __tsan_switch_to_fiber(struct thread *to, unsigned flags);
ENTRY void __tsan_switch_to_fiber(struct thread *to, unsigned flags)
{
    struct thread *from = thread_current();
    if (to == NULL || to == from)
        return;
    from->inside++;
    to->inside++;
    if (!(flags & SWITCH_NO_SYNC))
        order(from, to);
    become(from, to);
    from->inside--;
    thread_outside(to);
}

struct thread *fiber_go_home(struct thread *t)
{
    if (likely(t->home == NULL))
        return t;
    __tsan_switch_to_fiber(t->home, 0);
    return thread_self;
}

ENTRY void __tsan_set_fiber_name(struct thread *fiber, const char *name);
ENTRY void __tsan_set_fiber_name(struct thread *fiber, const char *name)
{
    struct thread *self = thread_current();
    self->inside++;
    for (size_t i = 0; i < sizeof fiber->name - 1; i++)
        if ((fiber->name[i] = name[i]) == '\0')
            break;
    thread_outside(self);
}
