/* What all locks have in common: mutexes, read-write locks, spin locks.
 *
 * The clock moves after the real lock and before the real unlock: while the lock is held.
 *
 *   lock for writing   learns what writers and readers released
 *   lock for reading   learns what writers released
 *   unlock             whoever held it for writing releases to all, for reading to writers: readers do not
 * order each other
 *
 * A lock that this thread has not locked is unlocked all the same where the real function allows it: what the
 * thread knows then joins what was released, so that nothing is lost.
 */
#pragma once

#include "runtime/history.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/held.h"

/* When it is taken for writing: is the last write to its memory compared with what the thread knew before? Else
 * object_shared() has to do so first. */
extern HIDDEN const bool lock_taken_compares;

HIDDEN void lock_taken(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc);
HIDDEN void lock_giving_up(struct thread *t, const volatile void *lock, uintptr_t pc);

/* After it was made, before and after it is destroyed. */
HIDDEN void lock_made(struct thread *t, const volatile void *lock, size_t size, uintptr_t pc);
HIDDEN void lock_destroying(struct thread *t, const volatile void *lock, size_t size, uintptr_t pc);
HIDDEN void lock_destroyed(struct thread *t, const volatile void *lock);

/* For reports: where the lock was locked in this epoch. Uses of locks are not in the threads' histories,
 * where they would take the place of accesses; the lock remembers its last one. False: it was locked again
 * since. */
HIDDEN bool lock_last_use(uintptr_t lock, uint32_t half, struct access_site *site);
