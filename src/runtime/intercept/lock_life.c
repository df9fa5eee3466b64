/* Locks are made and destroyed. */
#include "runtime/intercept/lock.h"
#include "runtime/stack.h"
#include "runtime/sync.h"

void lock_destroyed(struct thread *t, const volatile void *lock)
{
    t->inside++;
    sync_destroy((uintptr_t)lock);
    thread_outside(t);
}

void lock_destroying(struct thread *t, const volatile void *lock, size_t size, uintptr_t pc)
{
    object_written(t, lock, size, pc);
}

void lock_made(struct thread *t, const volatile void *lock, size_t size, uintptr_t pc)
{
    lock_destroyed(t, lock); /* whatever was there before */
    if (sync_created != NULL) {
        t->inside++;
        sync_created(t, (uintptr_t)lock, stack_node_with(t, pc));
        thread_outside(t);
    }
    object_written(t, lock, size, pc);
}
