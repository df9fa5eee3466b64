#include "runtime/world.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>

#include "runtime/init.h"
#include "runtime/signals.h"
#include "runtime/single_threaded.h"
#include "runtime/slots.h"
#include "shadow/unshare.h"

static uint32_t stopping; /* futex; written under the registry's lock */

/* --- what a thread is asked --- */

void world_ask_locked(struct thread *t, enum attend what)
{
    store_relaxed(&t->attend, t->attend | what);
    store_relaxed(&t->actor.owner.quick, OWNER_NEVER);
    store_relaxed(&t->actor.owner.quick_shared, OWNER_NEVER);
}

void world_answer_locked(struct thread *t, enum attend what)
{
    store_relaxed(&t->attend, t->attend & ~(uint32_t)what);
    if (t->attend != 0)
        return;
    store_relaxed(&t->actor.owner.quick, t->actor.owner.mine);
    store_relaxed(&t->actor.owner.quick_shared, OWNER_SHARED);
}

void world_join_locked(struct thread *t)
{
    world_ask_locked(t, ATTEND_SLOT | (stopping ? ATTEND_STOP : 0) | (owner_can() ? 0 : ATTEND_ALWAYS));
}

static void ask_self(struct thread *t, enum attend what)
{
    spin_lock(&registry.lock);
    world_ask_locked(t, what);
    spin_unlock(&registry.lock);
}

void world_sweep_soon(struct thread *t)
{
    ask_self(t, ATTEND_SWEEP);
}

void world_unshare_soon(struct thread *t)
{
    ask_self(t, ATTEND_UNSHARE);
}

/* --- stopping --- */

static void wait_while_stopped(void)
{
    while (load_acquire(&stopping))
        sys_call6(SYS_futex, (long)&stopping, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
}

static bool is_outside(const struct thread *t)
{
    return load_acquire(&t->working) == 0 && load_acquire(&t->actor.owner.busy) == 0;
}

static bool all_outside_locked(const struct thread *self)
{
    for (const struct thread *t = registry.running; t != NULL; t = t->next_running)
        if (t != self && !is_outside(t))
            return false;
    return true;
}

/* Returns with the registry's lock held: nobody else is inside. */
static void wait_for_others(const struct thread *self)
{
    if (owner_can())
        sys_call3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (;;) {
        spin_lock(&registry.lock);
        if (all_outside_locked(self))
            return;
        spin_unlock(&registry.lock);
        sys_yield();
    }
}

/* The thread is outside. True: the world is stopped, and the registry's lock held. False: somebody else has stopped it
 * meanwhile. */
static bool stop(struct thread *self)
{
    spin_lock(&registry.lock);
    if (stopping) {
        spin_unlock(&registry.lock);
        wait_while_stopped();
        return false;
    }
    store_relaxed(&stopping, 1);
    for (struct thread *t = registry.running; t != NULL; t = t->next_running)
        if (t != self)
            world_ask_locked(t, ATTEND_STOP);
    spin_unlock(&registry.lock);
    wait_for_others(self);
    return true;
}

static void resume(void)
{
    for (struct thread *t = registry.running; t != NULL; t = t->next_running)
        world_answer_locked(t, ATTEND_STOP);
    store_release(&stopping, 0);
    spin_unlock(&registry.lock);
    sys_call3(SYS_futex, (long)&stopping, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* True: the thread is inside. `stops`: it is to stop the world first. */
static bool attended(struct thread *t, bool *stops)
{
    spin_lock(&registry.lock);
    bool inside = false;
    *stops = false;
    if (!stopping) {
        if (t->attend & ATTEND_SLOT && slots_enter_locked(t))
            world_answer_locked(t, ATTEND_SLOT);
        if (t->attend & ATTEND_UNSHARE && !unshare_due())
            world_answer_locked(t, ATTEND_UNSHARE); /* somebody else has done it */
        *stops = (t->attend & (ATTEND_SLOT | ATTEND_SWEEP | ATTEND_UNSHARE)) != 0;
        inside = !*stops;
    }
    if (inside)
        store_relaxed(&t->working, 1);
    spin_unlock(&registry.lock);
    return inside;
}

/* Chunks are shared no more. Whoever is on a quick way has perhaps seen that they were, before it looks whether it may
 * be there: it must have looked before it may again. */
static void unshare_locked(struct thread *t, uint64_t began)
{
    if (unshare_stopped()) {
        spin_unlock(&registry.lock);
        wait_for_others(t);
    }
    unshare_done(began);
}

/* What the thread has stopped the world for. */
static void work_stopped(struct thread *t, uint64_t began)
{
    if (t->attend & (ATTEND_SLOT | ATTEND_SWEEP))
        slots_sweep_stopped();
    if (t->attend & ATTEND_UNSHARE)
        unshare_locked(t, began);
    world_answer_locked(t, ATTEND_SWEEP | ATTEND_UNSHARE);
}

cold_path void world_attend(struct thread *t)
{
    bool stops;
    store_release(&t->working, 0);
    while (!attended(t, &stops)) {
        uint64_t began = __builtin_ia32_rdtsc();
        if (!stops) {
            wait_while_stopped();
        } else if (stop(t)) {
            work_stopped(t, began);
            resume();
        }
    }
    if (t == thread_self)
        single_threaded_show_epoch(t);
}

void world_clear_stack(struct thread *t, uintptr_t address, size_t size)
{
    world_enter(t);
    shadow_clear_used(address, size);
    t->era++;
    world_leave(t);
}

void world_clear(uintptr_t address, size_t size)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL || t->ended)) {
        shadow_clear(address, size);
        return;
    }
    world_enter(t);
    shadow_clear(address, size);
    t->era++;
    world_leave(t);
}

/* --- fork ---
 *
 * Nobody holds a lock of the runtime while the world is stopped, but for the registry's, which the forking thread
 * holds in both processes. Handlers run innermost for who registers first. */

void world_before_fork(void)
{
    if (!runtime_awake())
        return;
    struct thread *t = thread_current();
    if (t->ended || t->working != 0)
        return;
    t->inside++; /* to the end: handlers would wait for the registry's lock */
    while (!stop(t)) {
    }
    t->forking = true;
}

void world_after_fork(void)
{
    struct thread *t = thread_self;
    if (t == NULL || !t->forking)
        return;
    t->forking = false;
    resume();
    thread_outside(t);
}

void world_after_fork_in_child(void)
{
    struct thread *t = thread_self;
    if (t == NULL || !t->forking)
        return;
    t->forking = false;
    owner_forked();
    thread_forked_locked(t);
    resume();
    single_threaded_try(t);
    signals_forked(t);
    thread_outside(t);
}

void world_watch_forks(void)
{
    pthread_atfork(world_before_fork, world_after_fork, world_after_fork_in_child);
}
