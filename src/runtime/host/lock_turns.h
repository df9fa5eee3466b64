/* Locks that are recorded without the host's lock.
 *
 * Who holds a lock for writing is the only one who takes it or gives it up: what it does with it needs no place in the
 * order of the whole execution (the spine of trace/tape.h), only one among the turns of this lock. So it goes to the
 * thread's own stream: "taken, after it was given up so many times". The first time is under the host's lock, which
 * knows what a lock has released as posts (host/posts.h). When that is one post, made by who gave it up last, holders
 * have it *alone* from then on: each posts under the same id, and whoever takes it learns that. Anybody else who asks
 * for the sync object, for whatever reason, ends that (memory_sync), and the host's posts say again who was last.
 *
 * A lock in a program with bugs may have two holders at a time, or be freed while it is held: a spin lock of its own
 * keeps the sync object in order. So may one that was given up where synchronization is ignored: that is no turn. Who
 * takes what another one has, as far as we know, or gives up what it has not, is recorded on the spine: by their turns
 * alone the one could as well come after the other.
 */
#pragma once

#include "runtime/host/memory.h"

/* True: it is recorded that the thread has taken the lock, or is about to give it up. In a thread that has a stream, of a
 * lock that is to be recorded (host/lock.c). is_used: giving it up is an access to its memory, too. */
HIDDEN bool lock_turns_take(struct thread *t, uintptr_t lock, uintptr_t pc);
HIDDEN bool lock_turns_give(struct thread *t, uintptr_t lock, bool is_used, uintptr_t pc);

/* --- under the host's lock --- */

/* The lock was taken by this thread, or given up (NULL), and that is on the spine: its holders may have it alone. */
HIDDEN void lock_turns_begin(struct host_sync *s, const struct thread *taker);

HIDDEN void lock_turns_end_slow(struct host_sync *s);
hot_inline void lock_turns_end(struct host_sync *s)
{
    if (load_relaxed(&s->turns.alone))
        lock_turns_end_slow(s);
}
