/* Single-threaded phases: the accesses of the only thread need no check.
 *
 * All that was ever done happens before what the only thread does now. All that any thread does later happens after
 * it, because only this thread can create another one. So an access of the phase races with nothing, and need not be
 * noted in the shadow: a later access is ordered after it whatever the shadow says.
 *
 * Meanwhile the epoch that the entry points compare with (thread_now) is 0. So is shadow that nobody has used, and the
 * test in the program's own code succeeds. Where it fails, because the word is from an earlier phase, the entry point
 * sees thread->single_threaded and returns. Synchronization and atomics go on as ever: they use actor.now, which stays.
 *
 * Invariants:
 *   1. A thread is alone only while no other is running or about to run, and its clock knows the last epoch of every
 *      thread that has ended.
 *   2. It stops being alone before it creates a thread (thread_prepare).
 *   3. Nobody is ever alone again once a thread may appear that none of ours creates (single_threaded_forbid): fibers, timers that
 *      call a function in a new thread, and any thread that the runtime meets without having seen it created.
 *
 * Only the live shadow uses this. The generic host and the recorder need every access.
 */
#pragma once

#include "base/count.h"
#include "runtime/thread.h"

enum { SINGLE_THREADED_EPOCH = 0 }; /* no thread's epoch is 0 (shadow/half.h) */

/* For the entry points: the access needs no check. */
hot_inline bool single_threaded_access(const struct thread *t)
{
    if (likely(!t->single_threaded))
        return false;
    count(SINGLE_THREADED);
    return true;
}

/* At the start of the runtime, in its first thread: every thread but this one will be seen to be created. Without this call
 * nobody is ever alone. */
HIDDEN void single_threaded_init(struct thread *t);

/* The thread has joined another, or is what a fork has left: is it the only one now? */
HIDDEN void single_threaded_try(struct thread *t);

/* The calling thread is about to create another. */
HIDDEN void single_threaded_end(struct thread *t);

/* From now on threads may appear that nobody is seen to create. If a single-threaded phase is on, it ends. */
HIDDEN void single_threaded_forbid(void);
HIDDEN void single_threaded_forbid_locked(void); /* with the registry's lock */

/* The epoch that the entry points of the calling thread compare with. */
hot_inline void single_threaded_show_epoch(struct thread *t)
{
    thread_now = unlikely(t->single_threaded) ? SINGLE_THREADED_EPOCH : t->actor.now;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(thread_now == SINGLE_THREADED_EPOCH) && !load_relaxed(&t->single_threaded))
        thread_now = t->actor.now; /* somebody has ended the phase in between (single_threaded_forbid) */
}
