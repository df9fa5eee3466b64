/* <sanitizer/tsan_interface.h>: what programs call to tell of synchronization that we cannot see.
 *
 * An annotated mutex is one by its annotations alone: what its own code does between a `pre` and its `post`
 * is left out, accesses and synchronization both, except in a region between pre_divert and post_divert. The
 * state is that of any sync object at its address (runtime/sync.h).
 */
#include "runtime/atomic_sync.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/held.h"
#include "runtime/past_sync.h"

#define ENTRY __attribute__((visibility("default")))

/* --- acquire and release --- */

ENTRY void __tsan_acquire(void *address);
ENTRY void __tsan_acquire(void *address)
{
    struct thread *t = caller();
    if (t == NULL)
        return;
    t->inside++;
    sync_acquire_all(t, (uintptr_t)address);
    past_sync_add(t, SYNC_ANNOTATED, HISTORY_ACQUIRES, (uintptr_t)address, CALLER_PC);
    thread_outside(t);
}

/* Joins what was released there before: several may release what one acquires. */
ENTRY void __tsan_release(void *address);
ENTRY void __tsan_release(void *address)
{
    struct thread *t = caller();
    if (t == NULL)
        return;
    t->inside++;
    past_sync_add(t, SYNC_ANNOTATED, HISTORY_RELEASES, (uintptr_t)address, CALLER_PC);
    sync_publish(t, (uintptr_t)address);
    thread_outside(t);
}

/* --- mutexes --- */

enum mutex_flag {
    LINKER_INIT = 1 << 0, /* lives for ever: its destruction means nothing */
    WRITE_REENTRANT = 1 << 1,
    READ_REENTRANT = 1 << 2,
    READ_LOCK = 1 << 3,
    TRY_LOCK = 1 << 4,
    TRY_LOCK_FAILED = 1 << 5,
    RECURSIVE_LOCK = 1 << 6,   /* takes as many levels as its argument says */
    RECURSIVE_UNLOCK = 1 << 7, /* gives up all levels, and says how many they were */
    NOT_STATIC = 1 << 8,
};

static void leave_out(struct thread *t)
{
    thread_ignore_begin(t);
    t->ignore_sync++;
}

static void take_in(struct thread *t)
{
    thread_ignore_end(t);
    if (t->ignore_sync > 0)
        t->ignore_sync--;
}

/* held.h needs a bit of the address. */
static bool can_be_held(const void *mutex)
{
    return ((uintptr_t)mutex & 1) == 0;
}

/* A level that is not the outermost is acquired and released like it: nobody else can be in between. */
static void locked(struct thread *t, void *mutex, unsigned flags, int recursion, uintptr_t pc)
{
    if (flags & READ_LOCK)
        sync_acquire(t, (uintptr_t)mutex);
    else
        sync_acquire_exclusive(t, (uintptr_t)mutex);
    int levels = flags & RECURSIVE_LOCK ? recursion : 1;
    while (can_be_held(mutex) && levels-- > 0)
        held_add(t, mutex, flags & READ_LOCK ? HELD_READING : HELD_WRITING, pc);
}

/* Returns how many levels are given up. */
static int unlocking(struct thread *t, void *mutex, unsigned flags, uintptr_t pc)
{
    int levels = 0;
    while (held_remove(t, mutex, pc) != NOT_HELD) {
        levels++;
        if (!(flags & RECURSIVE_UNLOCK))
            break;
    }
    if (flags & READ_LOCK)
        sync_publish_reader(t, (uintptr_t)mutex);
    else
        sync_release(t, (uintptr_t)mutex);
    return levels > 0 ? levels : 1;
}

ENTRY void __tsan_mutex_create(void *mutex, unsigned flags);
ENTRY void __tsan_mutex_create(void *mutex, unsigned flags)
{
    struct thread *t = caller();
    if (t == NULL || flags & LINKER_INIT)
        return;
    t->inside++;
    sync_destroy((uintptr_t)mutex); /* whatever was here before */
    thread_outside(t);
}

ENTRY void __tsan_mutex_destroy(void *mutex, unsigned flags);
ENTRY void __tsan_mutex_destroy(void *mutex, unsigned flags)
{
    struct thread *t = caller();
    if (t == NULL || flags & LINKER_INIT)
        return;
    t->inside++;
    sync_destroy((uintptr_t)mutex);
    thread_outside(t);
}

ENTRY void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
ENTRY void __tsan_mutex_pre_lock(void *mutex, unsigned flags)
{
    (void)mutex, (void)flags;
    struct thread *t = caller();
    if (t != NULL)
        leave_out(t);
}

ENTRY void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
ENTRY void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion)
{
    struct thread *t = caller();
    if (t == NULL)
        return;
    take_in(t);
    if (flags & TRY_LOCK_FAILED)
        return;
    t->inside++;
    locked(t, mutex, flags, recursion, CALLER_PC);
    thread_outside(t);
}

ENTRY int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
ENTRY int __tsan_mutex_pre_unlock(void *mutex, unsigned flags)
{
    struct thread *t = caller();
    if (t == NULL)
        return 1;
    t->inside++;
    int levels = unlocking(t, mutex, flags, CALLER_PC);
    thread_outside(t);
    leave_out(t);
    return levels;
}

#define REGION(name, step)                                                                                   \
    ENTRY void name(void *mutex, unsigned flags);                                                            \
    ENTRY void name(void *mutex, unsigned flags)                                                             \
    {                                                                                                        \
        (void)mutex, (void)flags;                                                                            \
        struct thread *t = caller();                                                                         \
        if (t != NULL)                                                                                       \
            step(t);                                                                                         \
    }

REGION(__tsan_mutex_post_unlock, take_in)
REGION(__tsan_mutex_pre_signal, leave_out)
REGION(__tsan_mutex_post_signal, take_in)
REGION(__tsan_mutex_pre_divert, take_in)
REGION(__tsan_mutex_post_divert, leave_out)
