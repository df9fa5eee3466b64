/* From an entry point to the shadow: the slow path of every access. */
#pragma once

#include "runtime/gather.h"
#include "runtime/report.h"

/* Checks the access, tells of a race, and remembers where it was. */
HIDDEN void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* The same for a few bytes that are often accessed again in the same epoch, as strings are: then it is quick. */
HIDDEN void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* A read of some bytes that several threads read again and again, in a chunk that is shared or frozen; the first `known` are
 * checked already. False: it is to be made in another way. */
HIDDEN bool access_among_others(struct thread *t, uintptr_t address, size_t size, size_t known, uintptr_t pc);

/* The same for all accesses that one place in a loop makes or is about to make: `count` of `size` bytes, `stride` bytes apart. */
HIDDEN void access_elements(uintptr_t first, size_t size, ptrdiff_t stride, size_t count,
                            enum access_kind kind, uintptr_t pc);

/* After inside++ and world_enter, and what was checked there. */
HIDDEN void access_end_check(struct thread *t);

/* A few bytes, perhaps not whole words: gathered (runtime/abi_access.c). */
HIDDEN void access_few(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* 4 or 8 bytes, as the entry points for them do. */
HIDDEN void access_words(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* A constructor or destructor that stores the pointer to virtual functions which is already there changes nothing that a
 * virtual call could see: it is a read. */
hot_inline enum access_kind access_of_vptr(uintptr_t address, const void *value)
{
    return *(const void **)address == value ? PLAIN_READ : PLAIN_WRITE;
}

/* A write to a block that was just allocated: its shadow is empty, and no other thread knows of it. Both begin and end
 * at a multiple of 8. */
HIDDEN void access_fresh(uintptr_t address, size_t size, uintptr_t pc);
/* free(): a write to the whole block, called what it is. */
HIDDEN void access_free(uintptr_t address, size_t size, uintptr_t pc);
/* The same for memory that goes back to the kernel: checked, not remembered. Its shadow is cleared next. */
HIDDEN void access_unmapping(uintptr_t address, size_t size, uintptr_t pc);

/* A use of the byte that is compared with earlier plain writes, and not remembered. */
HIDDEN void access_compare(struct thread *t, uintptr_t address, uintptr_t pc);

/* The thread, which is outside, uses the sync object at this address, as others may at the same time: an atomic read of its
 * first byte. `listed`: past_sync_find() will know where, so that the history need not. */
HIDDEN void access_use(struct thread *t, uintptr_t address, bool listed, uintptr_t pc);

struct access_site; /* runtime/history.h */

/* For reports: the earlier access of a race. *by: its thread, or NULL; false: its place is not known any more. */
HIDDEN bool access_earlier(const struct race_found *found, const struct thread **by,
                           struct access_site *site);

/* --- what waits to be checked: bytes (runtime/gather.h), the steps of loops (runtime/pieces.h) --- */

HIDDEN void access_flush_slow(struct thread *t);

hot_inline bool access_waits(const struct thread *t)
{
    return gather_any(t) || (t->has_piece[0] | t->has_piece[1]) != 0;
}

hot_inline void access_flush(struct thread *t)
{
    if (unlikely(access_waits(t)))
        access_flush_slow(t);
}

/* The process is about to end, or to become another program: what is still pending in other threads is checked by the
 * calling one in their place. They may run meanwhile, and check the same. */
HIDDEN void access_flush_others(struct thread *self);

/* Memory is given out again: what other threads have waiting there is older. Where a chunk is the thread's, nobody's or
 * uniform, nobody else has anything waiting. */
HIDDEN void access_flush_block_slow(struct thread *self, uintptr_t address, size_t size);

hot_inline void access_flush_block(struct thread *self, uintptr_t address, size_t size)
{
    uint32_t chunk = owner_chunk(address), last = owner_chunk(address + size - 1), owner;
    if (unlikely(size == 0))
        return;
    do
        owner = load_acquire(&owner_table[chunk]);
    while ((owner_is_own(&self->actor.owner, owner) || owner == OWNER_NOBODY || owner == OWNER_UNIFORM) &&
           chunk++ != last);
    if (unlikely(chunk != last + 1))
        access_flush_block_slow(self, address, size);
}

/* Memory is about to go, or to move: what is still pending there, of whatever thread, is checked first. */
HIDDEN void access_flush_at(struct thread *self, uintptr_t address, size_t size);

/* In the child of a fork: the parent's other threads are not there, and what they had pending is the parent's. */
HIDDEN void access_forked(const struct thread *self);

/* The two steps after the shadow has answered, for checks that are made elsewhere (runtime/atomic_sync.c). */
HIDDEN void access_remember(struct thread *t, const struct race_access_live *a,
                            const struct race_found *found);
HIDDEN void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found);
