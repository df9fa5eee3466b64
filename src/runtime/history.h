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
 * An access that changed the shadow adds an entry, or extends a run when it is the next step of the same
 * loop: same place, same context, constant stride. A loop with several accesses has several runs open at a
 * time, one for each place. So millions of accesses of a loop are a few entries.
 *
 * Only the owner writes. A reporter copies an entry and then looks whether
 * the owner has lapped it; a count that is one step old only means that the owner's very last access is not
 * yet in it.
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
    uint64_t head; /* entries ever made; the last is at (head - 1) % entries. Written by the owner only. */
    uint64_t mask; /* entries - 1, which is a power of two less 1 */
    uint32_t held_change_mask; /* of the ring of lock changes: likewise */
    struct held_change *held_change;
    struct entry entry[];
};

hot_inline unsigned history_place(uintptr_t pc)
{
    return pc / 8 % HISTORY_OPEN;
}

hot_inline uint32_t history_key(const struct access *a)
{
    return a->size << 4 | (unsigned)a->is_free << 3 | a->kind;
}

hot_inline uint64_t history_access(const struct access *a)
{
    uint64_t size = a->size < 256 ? a->size : 0;
    return (uint64_t)a->pc << 16 | size << 8 | a->order | (unsigned)a->is_free << 5 | (unsigned)a->kind << 2 |
           ENTRY_ACCESS;
}

hot_inline void history_put(struct history *h, uint64_t a, uint64_t b)
{
    struct entry *e = &h->entry[h->head & h->mask];
    e->a = a;
    e->b = b;
    store_release(&h->head, h->head + 1);
}

/* The thread's context is another, or was said long ago. */
HIDDEN void history_context_slow(struct thread *t);

/* A context is said at least so often: nobody has to look further for it. */
enum { HISTORY_REPEAT = 1024 };

/* Are the accesses that follow in the context that was said last? */
hot_inline bool history_is_current(const struct thread *t)
{
    return t->context.live != 0 && t->context.node == t->top->node && t->history->head < t->context.until;
}

/* Is the run's entry still there, and will be while `spare` more are made? */
hot_inline bool history_has(const struct history *h, uint64_t number, uint64_t spare)
{
    return number != 0 && load_acquire(&h->head) + spare - number <= h->mask;
}

hot_inline bool history_extend(struct history *h, uint64_t number, uint32_t count)
{
    struct entry *e = &h->entry[number & h->mask];
    uint64_t longer;
    if (unlikely(__builtin_add_overflow(e->b, (uint64_t)count << 32, &longer)))
        return false;
    store_release(&e->b, longer);
    return true;
}

/* An access that is expected extends the run of its place. False: there is none yet, or no longer. */
hot_inline bool history_extended(struct thread *t, struct open_run *open)
{
    if (unlikely(!history_has(t->history, open->run, 0) || !history_extend(t->history, open->run, 1)))
        return false;
    open->next += (uintptr_t)(intptr_t)open->stride;
    return true;
}

/* An access that needs more than one entry. */
HIDDEN void history_large(struct thread *t, const struct access *a);

hot_inline void history_one(struct thread *t, const struct access *a)
{
    if (unlikely(a->size >= 256)) {
        struct access copy = *a;
        history_large(t, &copy);
    } else {
        history_put(t->history, history_access(a), a->address);
    }
}

/* It extends its run, or begins one. */
hot_inline void history_run(struct thread *t, const struct access *a, struct open_run *open)
{
    if (likely(history_extended(t, open)))
        return;
    struct history *h = t->history;
    history_put(h, history_access(a), a->address);
    history_put(h, (uint64_t)a->size << 32 | ENTRY_MORE, (uint64_t)1 << 32 | (uint32_t)open->stride);
    open->run = h->head - 1;
    open->next += (uintptr_t)(intptr_t)open->stride;
}

/* How many accesses the place's run has so far. */
hot_inline uint32_t history_length(const struct thread *t, const struct open_run *open)
{
    const struct history *h = t->history;
    return open->run != 0 ? (uint32_t)(h->entry[open->run & h->mask].b >> 32) : 0;
}

/* From so many accesses on, a run is the row of a table: the next one has the same stride. */
enum { HISTORY_ROW = 4 };

/* Steps of more than this are no loop's: lists and trees go to and fro. */
enum { HISTORY_FARTHEST = 1 << CHUNK_BITS };

/* An access that is not where it was expected, and of no run: the next one may be as far from it. */
hot_inline void history_jumped(struct open_run *open, const struct access *a)
{
    uint32_t stride = (uint32_t)open->stride + (uint32_t)(a->address - open->next);
    stride = stride + HISTORY_FARTHEST <= 2 * HISTORY_FARTHEST ? stride : 0;
    open->stride = (int32_t)stride;
    open->next = a->address + (uintptr_t)(intptr_t)(int32_t)stride;
}

/* The first access of its place in the thread's context. */
hot_inline void history_new_place(struct thread *t, struct open_run *open, const struct access *a)
{
    open->pc = a->pc;
    open->next = a->address;
    open->run = 0;
    open->key = history_key(a);
    open->context = t->context.live;
    open->node = t->context.node;
    open->stride = 0;
}

/* The context is the current one. True: it is for history_run;
 * otherwise it is in the history now. */
hot_inline bool history_next(struct thread *t, struct open_run *open, const struct access *a)
{
    uint32_t key = history_key(a);
    if (likely(open->pc == a->pc) && likely(open->key == key) && likely(open->context == t->context.live)) {
        if (open->next == a->address && likely(open->stride != 0))
            return true;
        if (likely(open->run == 0) || history_length(t, open) < HISTORY_ROW)
            history_jumped(open, a);
        else /* it is the next row */
            open->next = a->address + (uintptr_t)(intptr_t)open->stride;
    } else {
        history_new_place(t, open, a);
    }
    open->run = 0;
    history_one(t, a);
    return false;
}

/* True: the access is one of a run with a stride. */
hot_inline bool history_add(struct thread *t, const struct access *a)
{
    struct open_run *open = &t->open[history_place(a->pc)];
    if (unlikely(!history_is_current(t)))
        history_context_slow(t);
    if (!history_next(t, open, a))
        return false;
    history_run(t, a, open);
    return true;
}

/* A run that is open must not go on: the accesses that follow have another context. */
hot_inline void history_change_context(struct thread *t)
{
    store_relaxed(&t->context.live, 0);
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

HIDDEN struct history *history_new(void);
HIDDEN void history_free(struct history *history);
HIDDEN void history_empty(struct history *history);

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
