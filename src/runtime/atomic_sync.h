/* Atomic variables as synchronization, after C11 and C++20.
 *
 * Each variable has a clock L: what somebody acquires who reads its present value (`stored` in
 * runtime/sync.h). Each thread has its clock C, the clock F of its last release fence, and A, what its
 * relaxed loads have seen.
 *
 *   operation            what it acquires                     what it releases
 *   load                 acquire: C ⊔= L   else: A ⊔= L       -
 *   store                -                                    release: L := C   else: L := F
 *   read-modify-write    as a load                            release: L ⊔= C   else: L ⊔= F
 *   failed exchange      as a load, with its failure order    -
 *   acquire fence        C ⊔= A                               -
 *   release fence        -                                    F := C
 *
 * F is empty before the first release fence: a relaxed store then empties L, which ends the release sequence
 * that the old value belonged to, whoever began it (C++20; C11 to C23 would let the same thread's stores
 * continue it). A read-modify-write continues it. consume is acquire; seq_cst is acquire and release. A
 * thread's clock ticks after whatever published it (a release operation, a release fence), so that what
 * follows is not covered.
 *
 * Sequentially consistent fences are acquire and release fences. That they are also totally ordered restricts
 * which values loads may see, which the machine takes care of; it makes nothing happen before anything (C++20
 * [intro.races] knows no such case), so two of them without an atomic variable between them order no
 * accesses.
 *
 * Annotations and interceptors release into the same addresses (`released` in runtime/sync.h): whoever
 * acquires a variable acquires that too.
 *
 * One step. The lock of the variable's record is held around the real operation, the joins and the race check
 * (shadow/atomic.h). The variable is touched before the lock is taken, so that a wild pointer faults outside.
 * Limits: a store to read-only memory faults inside; a handler that leaves it by longjmp leaves the lock
 * held, and whoever uses this variable later waits for ever. A signal handler that interrupts the runtime
 * (inside > 0) has its atomic operations done but not modelled.
 *
 * Most programs have no fences: no object that is loaded names the function (runtime/intercept/caller.c
 * looks). Then nobody will ever ask for A, and a relaxed load or read-modify-write has nothing to do with
 * clocks: all there is to it is that the access is noted. Such, and loads in general, mostly need no lock
 * (runtime/atomic_quick.h).
 */
#pragma once

#include "runtime/history.h"
#include "runtime/sync.h"
#include "shadow/atomic.h"

/* As the compiler passes them. */
enum atomic_order {
    ORDER_RELAXED,
    ORDER_CONSUME,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SEQ_CST,
    ORDER_MASK = 0x7fff /* gcc sets higher bits for __sync_* and lock elision */
};

hot_inline bool order_acquires(int order)
{
    return (order & ORDER_MASK) != ORDER_RELAXED && (order & ORDER_MASK) != ORDER_RELEASE;
}

hot_inline bool order_releases(int order)
{
    return (order & ORDER_MASK) >= ORDER_RELEASE;
}

hot_inline bool order_is_seq_cst(int order)
{
    return (order & ORDER_MASK) >= ORDER_SEQ_CST;
}

/* One operation on one variable, between its beginning and its end. */
struct atomic_step {
    struct thread *thread;
    struct record *record;
    uintptr_t address;
    uint32_t special; /* of the record, when it was locked */
    bool changes;     /* the variable's clock may change */
};

enum atomic_how { ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_MODIFY };

/* Before the real operation. False: it is to be done without us (we are interrupted inside the runtime). */
HIDDEN bool atomic_begin(struct atomic_step *s, const volatile void *variable, size_t size,
                         enum atomic_how how, int order);

/* After it, one of these: */
HIDDEN void atomic_loaded(struct atomic_step *s, size_t size, int order,
                          uintptr_t pc); /* or a failed exchange */
HIDDEN void atomic_stored(struct atomic_step *s, size_t size, int order, uintptr_t pc);
HIDDEN void atomic_modified(struct atomic_step *s, size_t size, int order, uintptr_t pc);

HIDDEN void atomic_fence(int order);

/* Some loaded object has fences. Never becomes false again. */
extern HIDDEN bool atomic_fences_exist;
