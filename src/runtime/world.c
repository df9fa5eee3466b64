#include "runtime/world.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/init.h"
#include "runtime/signals.h"
#include "runtime/single_threaded.h"
#include "runtime/slots.h"

static uint32_t stopping; /* futex; written under the registry's lock */

/* --- what a thread is asked --- */

void world_ask_locked(struct thread *t, enum attend what)
{
    store_relaxed(&t->attend, t->attend | what);
    store_relaxed(&t->actor.gate.closed, 1);
}

void world_answer_locked(struct thread *t, enum attend what)
{
    store_relaxed(&t->attend, t->attend & ~(uint32_t)what);
    if (t->attend == 0)
        store_relaxed(&t->actor.gate.closed, 0);
}

void world_join_locked(struct thread *t)
{
    world_ask_locked(t, ATTEND_SLOT | (stopping ? ATTEND_STOP : 0) | (gate_can_fence() ? 0 : ATTEND_ALWAYS));
}

void world_sweep_soon(struct thread *t)
{
    spin_lock(&registry.lock);
    world_ask_locked(t, ATTEND_SWEEP);
    spin_unlock(&registry.lock);
}

/* --- stopping --- */

static void wait_while_stopped(void)
{
    while (load_acquire(&stopping))
        sys_call6(SYS_futex, (long)&stopping, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
}

static bool is_outside(const struct thread *t)
{
    return load_acquire(&t->working) == 0 && load_acquire(&t->actor.gate.inside) == 0;
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
    if (gate_can_fence())
        gate_fence_all();
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
        *stops = (t->attend & (ATTEND_SLOT | ATTEND_SWEEP)) != 0;
        inside = !*stops;
    }
    if (inside)
        store_relaxed(&t->working, 1);
    spin_unlock(&registry.lock);
    return inside;
}

cold_path void world_attend(struct thread *t)
{
    bool stops;
    store_release(&t->working, 0);
    while (!attended(t, &stops)) {
        if (!stops) {
            wait_while_stopped();
        } else if (stop(t)) {
            slots_sweep_stopped();
            world_answer_locked(t, ATTEND_SWEEP);
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

static void stop_for_fork(void)
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

static void resume_after_fork(void)
{
    struct thread *t = thread_self;
    if (t == NULL || !t->forking)
        return;
    t->forking = false;
    resume();
    thread_outside(t);
}

static void resume_in_child(void)
{
    struct thread *t = thread_self;
    if (t == NULL || !t->forking)
        return;
    t->forking = false;
    if (gate_can_fence())
        gate_init();
    thread_forked_locked(t);
    resume();
    single_threaded_try(t);
    signals_forked(t);
    thread_outside(t);
}

/* What the generic host holds it gets last and gives up first: who waits for its lock is not outside. */

void world_before_fork(void)
{
    stop_for_fork();
    if (host_before_fork != NULL)
        host_before_fork();
}

void world_after_fork(void)
{
    if (host_after_fork != NULL)
        host_after_fork();
    resume_after_fork();
}

void world_after_fork_in_child(void)
{
    if (host_after_fork_in_child != NULL)
        host_after_fork_in_child();
    resume_in_child();
}

void world_watch_forks(void)
{
    pthread_atfork(world_before_fork, world_after_fork, world_after_fork_in_child);
}
