/* What a thread has acquired and released lately: for reports, which say what might have ordered two
 * accesses.
 *
 * Nothing is kept for it that costs: locks are in their ring (runtime/intercept/held.h), operations on atomic
 * variables in the history of accesses, with their order. Only what is neither is written down here, as an
 * entry of that history.
 */
#pragma once

#include "runtime/history.h"

enum sync_kind {
    SYNC_LOCK,
    SYNC_ATOMIC,
    SYNC_SEMAPHORE,
    SYNC_BARRIER,
    SYNC_ONCE,
    SYNC_KERNEL, /* a descriptor, a signal ... */
    SYNC_THREAD, /* that it has created or joined; the object is its id */
    SYNC_FENCE,  /* of memory; no object */
    SYNC_ANNOTATED
};

/* t, which is inside the runtime, is about to release into the object, so that its present epoch ends with
 * that; or has acquired from it. `which`: HISTORY_RELEASES or HISTORY_ACQUIRES. pc: 0 where it is not known.
 */
HIDDEN void past_sync_add(struct thread *t, enum sync_kind kind, unsigned which, uintptr_t object,
                          uintptr_t pc);

/* --- for reports; t is any thread --- */

struct past_sync {
    enum sync_kind kind;
    bool acquires, releases; /* neither: a relaxed operation on an atomic variable */
    bool writes;             /* of those: it was not just a load */
    bool shared;             /* a lock that is held for reading */
    uintptr_t object, pc;
    uint32_t node, epoch; /* epoch: of a release, the one that it ends */
    uint64_t number;      /* of its entry in the history; 0: it is in the ring of locks */
    uint32_t age;         /* how many came after it */
};

/* Backwards, the latest first, as far as it is known. */
struct past_sync_walk {
    const struct thread *thread;
    uint64_t next, oldest;        /* entries of the history, from `oldest` to before `next` */
    uint64_t context_at;          /* number of the context of the entries that come next, */
    struct entry context;         /* and what it says; a == 0: not looked for yet */
    uint32_t changes;             /* of locks, that are still to come */
    uint32_t found;               /* so many */
    bool locks_lost, others_lost; /* there were older ones */
};

HIDDEN struct past_sync_walk past_sync_walk(const struct thread *t);
HIDDEN bool past_sync_next(struct past_sync_walk *walk, struct past_sync *found);

/* Where the thread used a sync object in this epoch. False: it is not known, or not any more. */
HIDDEN bool past_sync_find(const struct thread *t, uintptr_t object, uint32_t epoch,
                           struct access_site *site);
