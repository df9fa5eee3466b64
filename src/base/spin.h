/* A lock for a few instructions, for code that may use nothing else. Yields after a while: the holder may have
 * been preempted. Not recursive. */
#pragma once

#include "base/atomic.h"
#include "base/sys.h"

struct spin {
    uint32_t held;
};

cold_path static void spin_wait(struct spin *lock)
{
    for (unsigned tries = 0; load_relaxed(&lock->held) || exchange_acquire(&lock->held, 1); tries++) {
        if (tries < 64)
            __builtin_ia32_pause();
        else
            sys_yield();
    }
}

hot_inline void spin_lock(struct spin *lock)
{
    if (unlikely(exchange_acquire(&lock->held, 1)))
        spin_wait(lock);
}

hot_inline void spin_unlock(struct spin *lock)
{
    store_release(&lock->held, 0);
}
