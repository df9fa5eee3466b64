/* What a thread's accesses and locks were: the part of a report about the earlier access.
 *
 * A ring of runs. An access that changed the shadow adds a run, or extends one when it is the next step of the same
 * loop: same place, same epoch, constant stride. A loop with several accesses has several runs open at a time, one
 * for each place. So millions of accesses of a loop are a few entries.
 *
 * Only the owner writes. A reporter copies an entry and then looks whether the owner has lapped it; a count or
 * stride that is one step old only means that the owner's very last access is not yet in it.
 */
#pragma once

#include "runtime/thread.h"

struct access_site {
    uintptr_t pc;
    uint32_t node; /* runtime/stack.h */
    uint8_t kind;  /* enum access_kind */
    bool is_free;  /* the "write" of a free() */
    bool held_known;
    uint32_t held_changes; /* which locks were held: runtime/intercept/held.h */
    uintptr_t address;
    size_t size; /* of one access */
};

/* pc, address, size, kind of an access in one epoch. */
struct access {
    uintptr_t address, pc;
    uint32_t size;
    uint8_t kind; /* enum access_kind */
    bool is_free;
};

/* Adds an access with another stack than the thread's present one. */
HIDDEN void history_add_at(struct thread *t, const struct access *a, uint32_t node);

/* The accesses of a piece (runtime/pieces.h) are about to be checked. */
HIDDEN void history_add_piece(struct thread *t, struct open_run *open, uint32_t count);

struct run {
    uint64_t pc : 48, place : 8 /* of its open_run, while it has one */, kind : 7, is_free : 1;
    uintptr_t address; /* of the first access */
    uint32_t node, epoch, held_changes;
    uint32_t count;
    int32_t stride; /* between accesses; 0 while there is only one */
    uint32_t size;
};
_Static_assert(sizeof(struct run) == 40, "where accesses follow no pattern, each of them begins one");

hot_inline unsigned history_place(uintptr_t pc)
{
    return pc / 8 % HISTORY_OPEN;
}

hot_inline uint32_t history_key(const struct access *a)
{
    return a->size << 4 | (unsigned)a->is_free << 3 | a->kind;
}

/* A longer run is continued by another. */
#define HISTORY_LONGEST (UINT32_MAX - 1024)

/* By the access that is next. */
hot_inline void history_extend(struct open_run *open)
{
    uint32_t count = open->run->count + 1;
    open->next += (uintptr_t)(intptr_t)open->stride;
    store_release(&open->run->count, count);
    if (unlikely(count >= HISTORY_LONGEST))
        open->epoch = 0;
}

/* The access begins a run, or is the second of the open one, or the first since another call of the function. */
HIDDEN void history_add_slow(struct thread *t, const struct access *a, struct open_run *open);

/* True: the access was a further one of a run with a stride. */
hot_inline bool history_add(struct thread *t, const struct access *a)
{
    struct open_run *open = &t->open[history_place(a->pc)];
    if (unlikely(open->next != a->address || open->pc != a->pc) ||
        unlikely(open->epoch != t->actor.now || open->key != history_key(a)) ||
        unlikely(open->held_changes != t->held_changes) ||
        unlikely(open->node != t->top->node || open->node == 0)) {
        history_add_slow(t, a, open);
        return false;
    }
    history_extend(open);
    return true;
}

/* The access of this kind to a byte at this address, in this epoch of the thread. False: overwritten since. */
HIDDEN bool history_find(const struct thread *t, uint32_t half, uintptr_t address, enum access_kind kind,
                         struct access_site *site);

/* 0 to 7: how much a history holds that is made from now on: 4,096 runs, doubled so many times. */
extern HIDDEN unsigned history_size;

HIDDEN struct history *history_new(void);
HIDDEN void history_free(struct history *history);

/* A lock that was taken or given up; a ring of these is part of the history (runtime/intercept/held.h). */
struct held_change {
    uint64_t what;
    uintptr_t pc;
    uint32_t node, epoch; /* stack and epoch of the thread: of a release, the epoch that it ends */
};

struct history {
    uint64_t head;        /* runs ever begun; the last is at (head - 1) % runs. Written by the owner only. */
    uint64_t runs;        /* a power of two */
    uint32_t held_change_mask; /* of the ring of lock changes: a power of two less 1 */
    struct held_change *held_change;
};

hot_inline struct held_change *history_held(const struct history *h, uint32_t change)
{
    return &h->held_change[change & h->held_change_mask];
}
HIDDEN void history_empty(struct history *history);

/* While the world is stopped: epochs have other names. The thread may be adding a run all the same. */
HIDDEN void history_rename(struct thread *t, uint32_t (*map)(uint32_t half));

/* While the thread waits: no access of these epochs is known any more. */
HIDDEN void history_forget_epochs(struct thread *t, uint32_t first, uint32_t last);
