/* Chunks of memory that only one thread has touched: their shadow needs no atomic instructions.
 *
 * A compare-and-swap costs more than all the rest of a check, and most memory is one thread's own. A chunk of
 * 4 KiB belongs to the first thread that touches it. While it does, that thread updates its words with plain loads
 * and stores, between announcing the chunk in its `busy` and taking that back. Another thread that needs the chunk
 * makes it shared for ever:
 *
 *   owner                                      other
 *   busy := chunk                              owner[chunk] := MOVING
 *   (no fence)                                 membarrier: every running thread executes a full fence
 *   owner[chunk] = mine?  update : go slow     wait until the owner's busy ≠ chunk
 *   busy := none                               owner[chunk] := SHARED; use compare-and-swap
 *
 * Either the owner's look at owner[chunk] comes after the fence that the membarrier made it execute: then it sees
 * MOVING and keeps off; or before: then its `busy` is visible to the other, who waits for the update to be done.
 * Where the kernel has no membarrier, every chunk is shared from the start.
 */
#pragma once

#include "base/atomic.h"
#include "shadow/map.h"

enum { OWNER_CHUNK_BITS = 12 };
_Static_assert(SHADOW_WINDOW_BITS - OWNER_CHUNK_BITS == 32, "a chunk's number is 32 bits of the address");

/* NEVER is in no chunk's entry. */
enum { OWNER_NOBODY = 0, OWNER_SHARED = UINT32_MAX, OWNER_MOVING = UINT32_MAX - 1, OWNER_NEVER = UINT32_MAX - 2 };

extern HIDDEN uint32_t *owner_table; /* by chunk */

/* What a thread shows to others.
 *
 * `quick` and `quick_shared` are for the short ways to the shadow (runtime/abi_access.c, runtime/atomic_sync.h), which
 * go on only if the chunk's entry is one of them. Who stops the world (runtime/world.h) makes both NEVER and waits
 * until `busy` is 0; so `busy` is also how these ways tell that they are in the shadow, whosever the chunk is. */
struct owner_view {
    uint32_t mine;         /* what owner_table holds for its chunks; 0: it owns none */
    uint32_t quick;        /* mine, or NEVER */
    uint32_t quick_shared; /* SHARED, or NEVER */
    uint64_t busy;         /* chunk + 1 while it updates words there; OWNER_ANYWHERE: it is in the shadow */
};

#define OWNER_ANYWHERE UINT64_MAX

hot_inline uint32_t owner_chunk(uintptr_t address)
{
    return (uint32_t)(address >> OWNER_CHUNK_BITS);
}

/* True: the chunk is the thread's and stays so until owner_leave. */
hot_inline bool owner_enter(struct owner_view *view, uint32_t chunk)
{
    store_relaxed(&view->busy, (uint64_t)chunk + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (likely(load_relaxed(&owner_table[chunk]) == view->mine))
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

/* After owner_enter has failed. True: the chunk is the thread's now, and entered. False: it is shared. */
HIDDEN bool owner_enter_slow(struct owner_view *view, uint32_t chunk);

/* Whoever changes a word is between these two. Returns whether the chunk is its own. */
hot_inline bool owner_begin(struct owner_view *view, uint32_t chunk)
{
    return likely(owner_enter(view, chunk)) || owner_enter_slow(view, chunk);
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

/* Somebody writes the words of these bytes without asking for their chunks. */
HIDDEN void owner_take(uintptr_t address, size_t size);

/* Calls visit(chunk) for every chunk that may have words which are not empty. */
HIDDEN void owner_each_chunk(void (*visit)(uint32_t chunk, void *to), void *to);

/* The chunks of these whole pages hold new memory: they are nobody's. */
HIDDEN void owner_forget(uintptr_t address, size_t size);

/* Finds the view of the thread that writes `mine` into the table; NULL when it has ended. Set by the runtime. */
extern HIDDEN struct owner_view *(*owner_view_of)(uint32_t mine);
