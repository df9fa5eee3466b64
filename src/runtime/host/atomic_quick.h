/* Atomic operations without the host's lock, as runtime/atomic_quick.h has them of the shadow's: those that order
 * nothing are accesses like others, and go to the thread's stream, if the detector is the recorder. Nothing is ordered
 * by a relaxed load or read-modify-write where there are no fences, nor by a load that has nothing to teach its thread
 * (host/news.h).
 *
 * From the note, or the glance, to the end of the operation the thread is inside: a signal handler that comes between
 * (runtime/signals.h lets some run in our code) may release something, and what was loaded before that would be noted
 * as after it, or the other way round.
 */
#pragma once

#include "runtime/atomic_sync.h"
#include "runtime/host/news.h"

struct atomic_glance {
    struct thread *thread;
    uint64_t news; /* of the variable, before the load */
};

/* Whatever its order, it is noted, and the thread is inside. False: the access is to be made with the lock. */
HIDDEN bool atomic_put(const volatile void *variable, size_t size, enum access_kind kind, uintptr_t pc);

hot_inline bool atomic_only_do(const volatile void *variable, size_t size, enum access_kind kind, int order,
                               uintptr_t pc)
{
    return (order & ORDER_MASK) == ORDER_RELAXED && !load_relaxed(&atomic_fences_exist) &&
           atomic_put(variable, size, kind, pc);
}

HIDDEN void atomic_done(void);

/* True: the thread is inside, up to atomic_glanced. */
HIDDEN bool atomic_glance(struct atomic_glance *g, const volatile void *variable, size_t size);
HIDDEN bool atomic_glanced(struct atomic_glance *g, const volatile void *variable, size_t size, int order,
                           uintptr_t pc);

/* Nothing is gained by a look at less. */
hot_inline bool atomic_glanced_again(struct atomic_glance *g, const volatile void *variable, size_t size,
                                     int order, uintptr_t pc)
{
    return atomic_glanced(g, variable, size, order, pc);
}
