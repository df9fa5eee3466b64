/* Objects of the C++ library that count their holders in code that is not instrumented.
 *
 * Who lets go last destroys the object, after everything that the other holders did to it. We are called
 * before the count goes down. But whether ours was the last one is known only afterwards, and then the object
 * is gone. So we become a holder ourselves for the time of the real call; if we turn out to be the last, we
 * acquire what the others released and have the object destroyed:
 *
 *   bool held = counted_hold(t, count, last); the real function; if (held && counted_let_go(t, count, last))
 * destroy it;
 *
 * `last` is what the count says when there is one holder.
 *
 * Each thread releases before its own decrement, and who gets to zero does so after all others' decrements:
 * nothing is missed. The count is where the object is known by; programs do not touch it.
 *
 * Where the C++ library is linked statically its own functions are called, not these, which are weak for
 * that.
 */
#pragma once

#include "runtime/intercept/caller.h"
#include "runtime/sync.h"

#define INTERCEPT_WEAK __attribute__((visibility("default"), weak))

/* The real function of a C++ name, as the linker knows it; NULL where no loaded object has it. */
#define REAL_CXX(symbol, type)                                                                               \
    ({                                                                                                       \
        REAL_ENTRY_NAMED(symbol);                                                                            \
        (type *)(real_find(&entry_) ? entry_.address : NULL);                                                \
    })

/* The thread is about to let go of the object. False: nobody else holds it (any more), and nobody can get it
 * from here; there is nothing to let go of afterwards. */
static inline bool counted_hold(struct thread *t, int *count, int last)
{
    bool alone = load_acquire(count) <= last;
    t->inside++;
    if (alone)
        sync_acquire(t, (uintptr_t)count);
    else
        sync_publish(t, (uintptr_t)count);
    thread_outside(t);
    if (!alone)
        add_relaxed(count, 1);
    return !alone;
}

/* It has. True: so have all others; the count is again what it was before the last one did. */
static inline bool counted_let_go(struct thread *t, int *count, int last)
{
    if (add_acq_rel(count, -1) != last)
        return false;
    t->inside++;
    sync_acquire(t, (uintptr_t)count);
    thread_outside(t);
    store_relaxed(count, last);
    return true;
}
