/* Stopping the world, without signals: one thread has the shadow, the clocks and the sync objects to itself.
 *
 * Whatever touches them is between world_enter and world_leave, or on a fast path, which says so at its
 * gate (shadow/gate.h). Who wants to stop the world
 *
 *   makes every running thread's `attend` and `closed` say so
 *   membarrier: every running thread executes a full fence
 *   waits until nobody is inside: `working` and `inside` are 0 in every other thread
 *
 * A thread that enters either sees the request, because it looks after the fence, or is seen inside. One that sees it
 * waits at the outermost world_enter, where it has nothing of the shadow in its hands. Threads in the program, or
 * waiting in the kernel for each other, go on: they need not be stopped, only kept out. So nobody may wait for
 * another thread of the program between enter and leave. Locks of the runtime are taken inside, never around.
 *
 * The same place is where a thread without a slot to count in (runtime/slots.h) gets one: its epoch changes there.
 * Where the kernel has no membarrier, every thread attends every time, which orders it by the registry's lock.
 */
#pragma once

#include "runtime/thread.h"

enum attend {
    ATTEND_STOP = 1,  /* somebody stops the world */
    ATTEND_SLOT = 2,  /* the thread has no slot */
    ATTEND_SWEEP = 4, /* the thread shall sweep */
    ATTEND_ALWAYS = 8 /* there is no membarrier */
};

HIDDEN void world_attend(struct thread *t);

/* Who is inside its gate is inside already: whoever stops the world waits for it. */
hot_inline void world_enter(struct thread *t)
{
    uint32_t depth = t->working;
    store_relaxed(&t->working, depth + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(load_relaxed(&t->attend) != 0) && depth == 0 && likely(t->actor.gate.inside == 0))
        world_attend(t);
}

hot_inline void world_leave(struct thread *t)
{
    store_release(&t->working, t->working - 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(t->put_off.waits) && t->inside == 0 && t->working == 0)
        signals_due(t);
}

/* shadow_clear_used() by a thread that begins, for its stack. */
HIDDEN void world_clear_stack(struct thread *t, uintptr_t address, size_t size);

/* shadow_clear() by whatever thread it is. */
HIDDEN void world_clear(uintptr_t address, size_t size);

/* The next world_enter of the thread sweeps. */
HIDDEN void world_sweep_soon(struct thread *t);

/* With the registry's lock: a thread's attend changes. */
HIDDEN void world_ask_locked(struct thread *t, enum attend what);
HIDDEN void world_answer_locked(struct thread *t, enum attend what);
/* ... it joins the running ones. */
HIDDEN void world_join_locked(struct thread *t);

/* Stops the world around a fork; in the child there is no other thread any more. */
HIDDEN void world_watch_forks(void);
HIDDEN void world_before_fork(void);
HIDDEN void world_after_fork(void);
HIDDEN void world_after_fork_in_child(void);
