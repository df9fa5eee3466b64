/* Reads, in this epoch, of what many threads read: the shadow's word does not say so (shadow/frozen.h, shadow/readers.h), and
 * to ask where it is written down takes long. A thread remembers its last ones.
 *
 * As with the word itself, "read in this epoch" stays true until the epoch is over, or until the memory is another block
 * (thread.era).
 */
#pragma once

#include "runtime/thread.h"

hot_inline uint64_t seen_name(uintptr_t address, unsigned size)
{
    return address | (uint64_t)size << 56;
}

hot_inline struct seen *seen_of(struct thread *t, uintptr_t address)
{
    return &t->seen[(address >> 2 ^ address >> 10) % SEEN_LAST];
}

hot_inline bool seen_has(struct thread *t, uintptr_t address, unsigned size)
{
    const struct seen *seen = seen_of(t, address);
    return seen->address == seen_name(address, size) && seen->when == checked_now(t);
}

/* The words, which are whole, were read without a race; `now` is from before that. A signal handler that comes in between
 * leaves an entry that is true: `when` is taken away first and put there last. */
hot_inline void seen_put(struct thread *t, uintptr_t address, unsigned size, uint64_t now)
{
    struct seen *seen = seen_of(t, address);
    if (likely(read_half(load_relaxed(shadow_of(address))) == (uint32_t)now))
        return;
    store_relaxed(&seen->when, 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_relaxed(&seen->address, seen_name(address, size));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_relaxed(&seen->when, now);
}
