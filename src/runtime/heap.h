/* Which heap blocks exist: for free() to know what it frees, and for reports to say what the memory is. Of those
 * that were freed lately, how: for reports of whatever races with it. */
#pragma once

#include "runtime/thread.h"
#include "shadow/freed.h"

struct heap_block {
    uintptr_t address;
    size_t size;
    uint32_t node;   /* stack of its allocation (runtime/stack.h) */
    uint32_t thread; /* id of who allocated it */
};

/* The function that gave a block back. */
enum heap_way { HEAP_FREE, HEAP_REALLOC, HEAP_DELETE, HEAP_DELETE_ARRAY };

struct heap_end {
    uintptr_t pc;    /* of the call; 0: nobody shall hear of it */
    uint32_t node;   /* stack of its caller */
    uint32_t thread; /* id of who made it */
    enum heap_way way;
};

struct heap_ended {
    struct heap_block block;
    struct heap_end end;
};

/* Whatever is asked about the block, it will be soon. */
hot_inline void heap_prefetch(uintptr_t address)
{
    __builtin_prefetch(freed_of(shadow_of(address)), 1);
}

/* The block's first bytes have entries of the book from now on, no longer those that say when they were freed
 * (shadow/freed.h). */
enum { HEAP_ENTRY_BYTES = 16 };
HIDDEN void heap_add(const struct heap_block *block);

/* Takes the block that begins at this address out, which has *size bytes; false when none does. */
HIDDEN bool heap_remove(uintptr_t address, const struct heap_end *end, size_t *size);

/* The block that begins at this address has this many bytes from now on. False: it has that many already, or is
 * not known. *before: how many it had. */
HIDDEN bool heap_grow(uintptr_t address, size_t size, size_t *before);

/* The first block that begins in [*from, to): its address in *from, how many bytes it has in *size. False: none does. */
HIDDEN bool heap_next(uintptr_t *from, uintptr_t to, size_t *size);

/* The blocks that begin in [from, from + size) are at `to` from now on, where no others begin. The ranges do not overlap; all
 * are multiples of 8. */
HIDDEN void heap_move(uintptr_t from, uintptr_t to, size_t size);

/* How the thread has given back a block last. */
HIDDEN enum heap_way heap_last_way(const struct thread *t);

/* The block that contains the address. Looks at all of them: for reports only. So does the next. */
HIDDEN bool heap_containing(uintptr_t address, struct heap_block *block);

/* The block that was given back last, among those that contained the address (`exactly`: began there). False: none, or
 * its thread has given back too many others since. */
HIDDEN bool heap_ended(uintptr_t address, bool exactly, struct heap_ended *ended);
