/* What a thread's accesses and locks were: the part of a report about the earlier access, and about why
 * nothing orders the two.
 *
 * A ring of entries of 16 bytes:
 *
 *   context   the stack, epoch and locks held of the accesses that follow
 *   access    place, address, kind, size
 *   more      after an access that is the first of a run: how many there are, and how far apart
 *   sync      it was ordered with others by something that is neither a lock (these have a ring of their own,
 *             below) nor an atomic variable, whose access says what order it had (runtime/past_sync.h)
 *
 * An access that changed the shadow appends an entry: two stores. The ring consists of blocks. When a block is full,
 * accesses of one place at a constant distance are folded into runs (runtime/history_fold.c), and the block goes on
 * where there is room again. So millions of accesses of a loop are a few entries. A block begins with a context.
 *
 * Entries are numbered; `base` is the number of the first one of the block that is being written. Only the owner writes, and
 * no signal handler of its own comes in between: it is in the gate, or inside the runtime. A reporter copies an entry
 * and then looks whether the owner has lapped it. `seq` is odd while the owner folds. Whoever reads several entries of a running thread calls history_hold() first: then nothing is folded, so
 * that an entry keeps its number.
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
    size_t size;     /* of one access */
    uint64_t number; /* of its entry; 0: not known, or one of several accesses that the entry is about */
};

/* pc, address, size, kind of an access in one epoch. */
struct access {
    uintptr_t address, pc;
    uint32_t size;
    uint8_t kind; /* enum access_kind */
    bool is_free;
    uint8_t order; /* of an atomic one: HISTORY_ACQUIRES, HISTORY_RELEASES */
};

/* In bits of an entry that only atomic accesses and sync entries use. */
enum { HISTORY_ACQUIRES = 1 << 6, HISTORY_RELEASES = 1 << 7 };

/* A lock that was taken or given up; a ring of these is part of the history (runtime/intercept/held.h). */
struct held_change {
    uint64_t what;
    uintptr_t pc;
    uint32_t node, epoch; /* stack and epoch of the thread: of a release, the epoch that it ends */
};

/* Bits 0 and 1 of `a` say what it is; all 0: nothing yet.
 *
 *              a                                                           b
 *   context    node << 32                                                  epoch << 32 | held_changes
 *   access     pc << 16 | size << 8 | is_free << 5 | kind << 2             address
 *   more       size << 32 | size of the last one << 8                      count << 32 | stride
 *   sync       pc << 16 | enum sync_kind << 8 | HISTORY_*S | 7 << 2        object
 *
 * A sync entry is tagged as an access, of a kind that no access has; atomic accesses have HISTORY_*S too.
 * An access whose size says 0 has its size in the `more` behind it. The last access of a run has the size of
 * the others if its own says 0. */
struct entry {
    uint64_t a, b;
};
enum entry_tag { ENTRY_CONTEXT = 1, ENTRY_ACCESS, ENTRY_MORE };
enum { ENTRY_KIND_SYNC = 7 };

struct history {
    uint64_t base; /* of the block that is being written */
    uint64_t mask; /* entries - 1, which is a power of two less 1 */
    uint32_t seq;
    uint32_t held_change_mask; /* of the ring of lock changes: likewise */
    struct held_change *held_change;
    struct entry *spare; /* a block, for folding */
    _Alignas(64) struct entry entry[];
};

/* Entries of a block. A context comes at least that often. */
enum { HISTORY_BLOCK = 1024 };

/* Entries from `oldest` to before `head` are known. */
struct history_window {
    uint64_t oldest, head;
};
HIDDEN struct history_window history_window(const struct thread *t);

HIDDEN void history_hold(void);
HIDDEN void history_release(void);
HIDDEN void history_forked(void); /* in the child, where nobody holds */

hot_inline uint64_t history_access(const struct access *a)
{
    uint64_t size = a->size < 256 ? a->size : 0;
    return (uint64_t)a->pc << 16 | size << 8 | a->order | (unsigned)a->is_free << 5 | (unsigned)a->kind << 2 |
           ENTRY_ACCESS;
}

/* The next entry can be written, and needs no context. */
hot_inline bool history_is_ready(const struct thread *t)
{
    return likely(t->top->node == t->log.node) && likely(t->log.next < t->log.stop);
}

hot_inline void history_put(struct thread *t, uint64_t a, uint64_t b)
{
    struct entry *e = t->log.next;
    e->a = a;
    e->b = b;
    store_release(&t->log.next, e + 1);
}

/* Makes room for so many entries in one block, and says the context if it is another. */
HIDDEN void history_prepare(struct thread *t, uint32_t entries);

/* An access that needs more than one entry, or a context. */
HIDDEN void history_add_slow(struct thread *t, const struct access *a);

hot_inline void history_add(struct thread *t, const struct access *a)
{
    if (likely(history_is_ready(t)) && likely(a->size < 256))
        history_put(t, history_access(a), a->address);
    else
        history_add_slow(t, a);
}

/* The accesses that follow are of another epoch, or other locks are held. */
hot_inline void history_change_context(struct thread *t)
{
    t->log.node = t->log.context_node = NO_CONTEXT;
}

/* Adds an access with another stack than the thread's present one. */
HIDDEN void history_add_at(struct thread *t, const struct access *a, uint32_t node);

/* Adds `count` accesses, `stride` bytes apart. */
HIDDEN void history_add_run(struct thread *t, const struct access *a, uint32_t count, int32_t stride);

/* The access of this kind to a byte at this address, in this epoch of the thread. False: overwritten since.
 */
HIDDEN bool history_find(const struct thread *t, uint32_t half, uintptr_t address, enum access_kind kind,
                         struct access_site *site);

/* Before a search in vain: the entry may be one of the next that the thread makes. */
struct history_mark {
    uint64_t head;
    uint32_t half;
    bool whole; /* nothing of the epoch was overwritten: it must be */
};
HIDDEN struct history_mark history_mark(const struct thread *t, uint32_t half);

/* False: it was made, if ever. */
HIDDEN bool history_may_come(const struct thread *t, const struct history_mark *mark);

/* Memory is elsewhere now; in the world. Entries keep the addresses of their time. */
HIDDEN void history_moved(uintptr_t from, uintptr_t to, size_t size);

/* Where memory was before it was moved here, by a move before this one (at first UINT64_MAX), of those that
 * are still known. False: nowhere else. */
HIDDEN bool history_before(uint64_t *move, uintptr_t *address);

/* 0 to 7: how much a history holds that is made from now on: 8,192 entries, doubled so many times. */
extern HIDDEN unsigned history_size;

/* A thread gets one, gives it back, or begins it anew. */
HIDDEN void history_new(struct thread *t);
HIDDEN void history_free(struct thread *t);
HIDDEN void history_empty(struct thread *t);

/* The entries [from, to) of one block, with runs. Returns the new end. (runtime/history_fold.c) */
HIDDEN struct entry *history_fold(struct history *h, struct entry *from, struct entry *to);

hot_inline struct held_change *history_held(const struct history *h, uint32_t change)
{
    return &h->held_change[change & h->held_change_mask];
}

/* For reports, of any thread. False: overwritten, also if it is being overwritten just now. */
HIDDEN bool history_held_at(const struct thread *t, uint32_t change, struct held_change *found);

/* While the world is stopped: epochs have other names. The thread may be adding an entry all the same. */
HIDDEN void history_rename(struct thread *t, uint32_t (*map)(uint32_t half));

/* While the thread waits: no access of these epochs is known any more. */
HIDDEN void history_forget_epochs(struct thread *t, uint32_t first, uint32_t last);
