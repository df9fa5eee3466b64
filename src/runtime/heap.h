/* Which heap blocks exist: for free() to know what it frees, and for reports to say what the memory is. */
#pragma once

#include "runtime/thread.h"

struct heap_block {
    uintptr_t address;
    size_t size;
    uint32_t node;   /* stack of its allocation (runtime/stack.h) */
    uint32_t thread; /* id of who allocated it */
};

HIDDEN void heap_add(const struct heap_block *block);

/* Takes the block that begins at this address out; false when none does. */
HIDDEN bool heap_remove(uintptr_t address, struct heap_block *block);

/* The block that contains the address. Looks at all of them: for reports only. */
HIDDEN bool heap_containing(uintptr_t address, struct heap_block *block);
