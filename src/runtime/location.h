/* What a piece of the program's memory is, as far as the process itself knows. (Names of globals are looked
 * up outside, from the file's symbols.) For reports only: callers hold the report's lock. */
#pragma once

#include "report/wire.h"
#include "runtime/thread.h"

struct location {
    enum wire_location kind;
    uintptr_t address; /* of the block; of the byte asked about for anything else */
    size_t size;
    const struct thread *thread; /* whose stack or TLS; who allocated the block; NULL: unknown */
    uint64_t thread_id;          /* the same where only the id is known; WIRE_NO_THREAD: unknown */
    uint32_t node;               /* stack of the allocation */
    uint64_t freed_by;           /* id of a thread, or WIRE_NO_THREAD: it was not freed */
    uintptr_t free_pc;
    uint32_t free_node;
    uintptr_t map_from, map_to; /* of anything else: its mapping; both 0: none, or it was not asked for */
    char map_path[256];         /* "" for anonymous memory */
};

HIDDEN void location_find(uintptr_t address, struct location *location);

/* The heap block around the address (`exactly`: from there on) that was freed last. False: none that is remembered. */
HIDDEN bool location_freed(uintptr_t address, bool exactly, struct location *location);

/* Once, at the start: how much thread-local memory a thread has. */
HIDDEN void location_init(void);

/* Is it the place of a file descriptor? Then its number is the location's address. Answered by who keeps track of that, if
 * anybody does. */
HIDDEN bool descriptor_at(uintptr_t address, struct location *location) __attribute__((weak));

/* Where the mutex was created. Answered by whoever keeps track of that, if anybody does. */
HIDDEN bool mutex_created_at(uintptr_t mutex, uint32_t *node) __attribute__((weak));
