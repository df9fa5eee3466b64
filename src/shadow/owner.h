/* Chunks of memory that one thread at a time touches: their shadow needs no atomic instructions.
 *
 * A compare-and-swap costs more than all the rest of a check, and most memory is one thread's own, or is
 * handed over from one to another and stays there for a while. A chunk of 4 KiB belongs to the first thread
 * that touches it. While it does, that thread updates its words with plain loads and stores, between
 * announcing the chunk in its `busy` and taking that back. Another thread that needs the chunk takes it away:
 *
 *   owner                                      other
 *   busy := chunk                              owner[chunk] := MOVING
 *   (no fence)                                 membarrier: every running thread executes a full fence
 *   owner[chunk] = mine?  update : go slow     wait until the owner's busy ≠ chunk
 *   busy := none                               owner[chunk] := a lease of mine, or SHARED
 *
 * Either the owner's look at owner[chunk] comes after the fence that the membarrier made it execute: then it
 * sees MOVING and keeps off; or before: then its `busy` is visible to the other, who waits for the update to
 * be done. Where the kernel has no membarrier, every chunk is shared from the start.
 *
 * A chunk that was handed over once will be again. From then on it is leased, for the epoch of the thread
 * that holds it: the entry is that epoch. While it lasts, the chunk is as good as the thread's own. When it
 * is over, which everybody can see in the thread's view, the thread is not in the chunk and will not be by
 * this lease; so whoever comes next takes the chunk with one compare-and-swap:
 *
 *   holder                                     other
 *   busy := chunk                              owner[chunk] = a lease; its thread's lease is another:
 *   owner[chunk] = lease?  update : go slow        owner[chunk]: that lease -> MOVING -> mine
 *   busy := none                               its thread's lease is still the same:
 *   lease := the next epoch                        as above, and the chunk is shared
 *
 * (An epoch that is given out again, after a sweep, makes an old lease the new thread's: it is one thread's
 * all the same.)
 *
 * Shared chunks are updated with compare-and-swap; those that are only read may be frozen instead
 * (shadow/frozen.h), and those that are written all over may be leased again (shadow/unshare.h). proof/lease.pml is this as a model.
 */
#pragma once

#include "base/atomic.h"
#include "shadow/map.h"

/* NEVER is in no chunk's entry. Threads' are lower than all but NOBODY; leases are between those and the
 * others. LEASE itself is one that nobody holds. */
enum {
    OWNER_NOBODY = 0,
    OWNER_LEASE = 1u << 31,
    OWNER_SHARED = UINT32_MAX,
    OWNER_MOVING = UINT32_MAX - 1,
    OWNER_NEVER = UINT32_MAX - 2,
    OWNER_FROZEN = UINT32_MAX - 3,
    OWNER_UNIFORM = UINT32_MAX - 4 /* one word stands for all of it (shadow/uniform.h) */
};

extern HIDDEN uint32_t *owner_table; /* by chunk */

/* By chunk. Of an owned one: since when it is, in units of time. Of a leased one: what tells whether it
 * should be (owner.c). Of both: whether words were changed since, other than by reading them. Of a frozen
 * one: its first page of notes (shadow/frozen.h). */
extern HIDDEN uint32_t *owner_more;
enum { OWNER_WROTE = 1 };

/* What a thread shows to others.
 *
 * `quick` and `quick_shared` are for the short ways to the shadow (runtime/abi_access.c,
 * runtime/atomic_sync.h), which go on only if the chunk's entry is one of them (FROZEN: if quick_shared is
 * SHARED). Who stops the world (runtime/world.h) makes both NEVER and waits until `busy` is 0; so `busy` is
 * also how these ways tell that they are in the shadow, whosever the chunk is. */
struct owner_view {
    uint32_t mine;         /* what owner_table holds for its chunks; 0: it owns none */
    uint32_t quick;        /* mine, or NEVER */
    uint32_t quick_shared; /* SHARED, or NEVER */
    uint32_t lease;        /* of its epoch; NEVER: it holds none */
    uint64_t busy;         /* chunk + 1 while it updates words there; OWNER_ANYWHERE: it is in the shadow */

    /* Its own: where it took chunks over last, and how many at a time. */
    uint32_t last_taken, width;
};

#define OWNER_ANYWHERE UINT64_MAX

hot_inline uint32_t owner_chunk(uintptr_t address)
{
    return (uint32_t)(address >> OWNER_CHUNK_BITS);
}

/* The thread begins an epoch. The highest ones, a few of the last slot's, have no lease. */
hot_inline void owner_new_epoch(struct owner_view *view, uint32_t half)
{
    uint32_t lease = OWNER_LEASE | half;
    store_release(&view->lease, likely(lease < OWNER_UNIFORM) ? lease : OWNER_NEVER);
}

/* Is a chunk with this entry the thread's? */
hot_inline bool owner_is_own(const struct owner_view *view, uint32_t entry)
{
    return likely(entry == view->mine) || entry == view->lease;
}

/* Is it no thread's, and no lease? A glance: it may be another a moment later. */
hot_inline bool owner_is_nobodys(uint32_t entry)
{
    return entry >= OWNER_UNIFORM;
}

/* Is it nobody's own, but everybody's? */
hot_inline bool owner_is_all(uint32_t entry)
{
    return entry == OWNER_SHARED || entry == OWNER_FROZEN;
}

/* Is it the thread's, for the quick ways? */
hot_inline bool owner_is_quick(const struct owner_view *view, uint32_t entry)
{
    return likely(entry == load_relaxed(&view->quick)) ||
           (entry == view->lease && load_relaxed(&view->quick_shared) == OWNER_SHARED);
}

/* True: the chunk is the thread's and stays so until owner_leave. */
hot_inline bool owner_enter(struct owner_view *view, uint32_t chunk)
{
    store_relaxed(&view->busy, (uint64_t)chunk + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (likely(owner_is_own(view, load_relaxed(&owner_table[chunk]))))
        return true;
    store_relaxed(&view->busy, 0);
    return false;
}

hot_inline void owner_leave(struct owner_view *view)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_release(&view->busy, 0);
}

/* False: there is no membarrier, and every chunk is shared. */
HIDDEN bool owner_init(void);
HIDDEN bool owner_can(void);
HIDDEN void owner_forked(void); /* in the child */

/* How long a chunk has been its owner's at least before another thread takes it along with one that it needs,
 * in units of 2^16 cycles. 0, for tests: whatever may cost time is done all the same. */
extern HIDDEN uint32_t owner_shortest_stay;

/* After owner_enter has failed. True: the chunk is the thread's now, and entered. False: it is shared. */
HIDDEN bool owner_enter_slow(struct owner_view *view, uint32_t chunk);

/* If the chunk is the thread's own it is frozen or shared from now on. Nothing waits to be checked there. */
HIDDEN void owner_share(const struct owner_view *view, uint32_t chunk);

/* The chunk is the thread's own and was entered. */
hot_inline bool owner_wrote(uint32_t chunk)
{
    return load_relaxed(&owner_more[chunk]) & OWNER_WROTE;
}

hot_inline void owner_writes(uint32_t chunk)
{
    if (unlikely(!owner_wrote(chunk)))
        store_relaxed(&owner_more[chunk], owner_more[chunk] | OWNER_WROTE);
}

/* Whoever changes a word is between these two. Returns whether the chunk is its own. */
hot_inline bool owner_begin(struct owner_view *view, uint32_t chunk)
{
    bool own = owner_enter(view, chunk) ||
               (load_acquire(&owner_table[chunk]) != OWNER_SHARED && owner_enter_slow(view, chunk));
    if (own)
        owner_writes(chunk);
    return own;
}

hot_inline void owner_end(struct owner_view *view, bool own)
{
    if (own)
        owner_leave(view);
}

/* For the quick ways: says that the thread is about to be in the chunk, and returns the chunk's entry. */
hot_inline uint32_t owner_announce(struct owner_view *view, uint32_t chunk)
{
    store_relaxed(&view->busy, (uint64_t)chunk + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return load_relaxed(&owner_table[chunk]);
}

/* The same for who only looks. False: not now. */
hot_inline bool owner_look(struct owner_view *view)
{
    store_relaxed(&view->busy, OWNER_ANYWHERE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (likely(load_relaxed(&view->quick_shared) == OWNER_SHARED))
        return true;
    store_relaxed(&view->busy, 0);
    return false;
}

/* Is it a lease that is over? Then nothing waits to be checked in the chunk. */
HIDDEN bool owner_is_left(uint32_t chunk);

/* Somebody writes the words of these bytes without asking for their chunks. */
HIDDEN void owner_take(uintptr_t address, size_t size);

/* The chunk may have words which are not empty from now on. */
HIDDEN void owner_note(uint32_t chunk);

/* The first page of [page, end) whose chunk may be anything but nobody's, about; `end`: none. A program may
 * reserve terabytes of which it uses little. */
HIDDEN uintptr_t owner_next_used(uintptr_t page, uintptr_t end);

/* Calls visit(chunk) for every chunk that may have such words. */
HIDDEN void owner_each_chunk(void (*visit)(uint32_t chunk, void *to), void *to);
/* The same for whoever only reads words. */
enum owner_mode { OWNER_IS_SELF /* to be left */, OWNER_IS_ALL, OWNER_IS_FROZEN };
HIDDEN enum owner_mode owner_begin_reading(struct owner_view *view, uint32_t chunk);

/* No chunk of these bytes is frozen any more: their words say all there is. */
HIDDEN void owner_thaw(uintptr_t address, size_t size);
HIDDEN void owner_thaw_stopped(uint32_t chunk); /* while the world is stopped */

/* The chunks of these whole pages hold new memory: they are nobody's. */
HIDDEN void owner_forget(uintptr_t address, size_t size);

/* Has the runtime check what the thread still has waiting for the shadow in these chunks (runtime/pieces.h).
 * They were taken from it and are nobody's at the moment. NULL: nothing ever waits. */
extern HIDDEN void (*owner_settle)(struct owner_view *view, uint32_t chunk, uint32_t count);

/* Every running thread executes a full fence. */
HIDDEN void owner_fence_all(void);

/* Finds the view of the thread that writes `mine` into the table; NULL when it has ended. Set by the runtime.
 */
extern HIDDEN struct owner_view *(*owner_view_of)(uint32_t mine);

/* Finds the view of the thread that holds the lease; NULL when it is over. Set by the runtime. */
extern HIDDEN struct owner_view *(*owner_holder)(uint32_t lease);

/* Waits for each thread that is in the chunk. Set by the runtime. */
extern HIDDEN void (*owner_wait_all)(uint32_t chunk);

/* The chunk of a shadow word. */
hot_inline uint32_t shadow_chunk(const uint64_t *word)
{
    return (uint32_t)(((uintptr_t)word - shadow_base) >> (OWNER_CHUNK_BITS + 1));
}
