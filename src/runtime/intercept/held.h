/* The locks that a thread holds: for reports, and for unlock functions that serve readers and writers alike.
 *
 * thread->held[0 .. held_count), in the order of locking; only the thread itself touches them. An entry is
 *   the lock's address, bit 0 set where it is held for reading, bit 63 for a robust mutex
 * (addresses of locks are even, and those of programs stay below 2^63).
 */
#pragma once

#include "runtime/thread.h"

enum held_mode {
    HELD_WRITING,
    HELD_READING,
    HELD_ROBUST, /* for writing, and unlocked when the thread ends */
    NOT_HELD
};

/* The generic host's (runtime/thread.h): told of each lock that is taken or given up. */
__attribute__((weak)) HIDDEN void host_held(struct thread *t, const volatile void *lock, enum held_mode mode,
                                            bool taken);

HIDDEN void held_add(struct thread *t, const volatile void *lock, enum held_mode mode);

/* How it was held. A lock that another thread has locked is NOT_HELD by this one. */
HIDDEN enum held_mode held_remove(struct thread *t, const volatile void *lock);

hot_inline enum held_mode held_mode(uintptr_t entry)
{
    return entry >> 63 ? HELD_ROBUST : entry & 1 ? HELD_READING : HELD_WRITING;
}

hot_inline uintptr_t held_lock(uintptr_t entry)
{
    return (entry & ~(uintptr_t)1) << 1 >> 1;
}
