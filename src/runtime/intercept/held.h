/* The locks that a thread holds: for reports, and for unlock functions that serve readers and writers alike.
 *
 * thread->held[0 .. held_count), in the order of locking; only the thread itself touches them. An entry is
 *   the lock's address, bit 0 set where it is held for reading, bit 63 for a robust mutex
 * (addresses of locks are even, and those of programs stay below 2^48).
 *
 * What it held at an earlier time is read off the changes since: the thread's history keeps the last of them,
 * and thread->held_changes counts them. An access remembers only that count (runtime/history.h), so that
 * locking costs one entry of a ring. A change is an entry as above, bit 62 set where it was given up, bits 48
 * to 61: how many were held afterwards
 */
#pragma once

#include "runtime/history.h"

enum held_mode {
    HELD_WRITING,
    HELD_READING,
    HELD_ROBUST, /* for writing, and unlocked when the thread ends */
    NOT_HELD
};

/* The generic host's (runtime/thread.h): told of each lock that is taken or given up. */
__attribute__((weak)) HIDDEN void host_held(struct thread *t, const volatile void *lock, enum held_mode mode,
                                            bool taken);
/* And its way to know what was held: by the number that it has put in the place of the count of changes. */
__attribute__((weak)) HIDDEN int host_held_then(uint32_t number, uintptr_t *entry, size_t most);

/* pc: where it was locked. */
HIDDEN void held_add(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc);

/* How it was held. A lock that another thread has locked is NOT_HELD by this one. Before the clock moves on.
 */
HIDDEN enum held_mode held_remove(struct thread *t, const volatile void *lock, uintptr_t pc);

hot_inline enum held_mode held_mode(uintptr_t entry)
{
    return entry >> 63 ? HELD_ROBUST : entry & 1 ? HELD_READING : HELD_WRITING;
}

hot_inline uintptr_t held_lock(uintptr_t entry)
{
    return entry & (((uintptr_t)1 << 48) - 2);
}

/* --- for reports; t is any thread --- */

/* What the thread held after so many changes: fills in entries, returns how many, or -1: not known any more.
 */
HIDDEN int held_then(const struct thread *t, uint32_t changes, uintptr_t *entry, size_t most);

/* The last lock that the thread gave up before it came to this epoch. False: none, or not known any more. */
HIDDEN bool held_released_before(const struct thread *t, uint32_t half, struct held_change *change);

hot_inline bool held_given_up(const struct held_change *change)
{
    return change->what >> 62 & 1;
}
