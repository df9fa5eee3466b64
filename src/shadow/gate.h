/* How a thread says that it is in the shadow, so that the world can be stopped (runtime/world.h).
 *
 *   thread                                     whoever stops the world
 *   inside := 1                                closed := 1, for every thread
 *   (no fence)                                 membarrier: every running thread executes a full fence
 *   closed?  inside := 0, slow path : go on    wait until inside = 0, for every thread
 *   inside := 0
 *
 * Either the thread loads `closed` after the fence that the membarrier made it execute, and keeps out, or its
 * `inside` is visible to the other, which waits. The fast paths use this gate; the slow path counts in
 * thread.working instead. Without membarrier the gate is always closed.
 *
 * A signal handler never interrupts a fast path (runtime/signals.h).
 */
#pragma once

#include "base/atomic.h"
#include "shadow/map.h"

struct gate {
    uint32_t inside; /* written by the thread, read by whoever stops the world */
    uint32_t closed; /* written under the registry's lock, read by the thread */
};

hot_inline bool gate_enter(struct gate *gate)
{
    store_relaxed(&gate->inside, 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (likely(!load_relaxed(&gate->closed)))
        return true;
    store_relaxed(&gate->inside, 0);
    return false;
}

hot_inline void gate_leave(struct gate *gate)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_release(&gate->inside, 0);
}

/* Registers for membarrier. False: the kernel has none. Again in the child of a fork. */
HIDDEN bool gate_init(void);
HIDDEN bool gate_can_fence(void);

/* Every running thread executes a full fence. */
HIDDEN void gate_fence_all(void);
