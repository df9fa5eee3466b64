/* Where accesses were made: thread, call stack, place, locks held, kind and extent, each different one once.
 * A site's number is all that a detector keeps of an access. Under the host's lock. */
#pragma once

#include "runtime/access.h"
#include "runtime/history.h"

struct site {
    uintptr_t pc;
    uintptr_t start; /* of the access: its last 4 bits up to 16 bytes, all of it beyond, and of a free() */
    size_t size;
    uint32_t node, thread;
    uint32_t held; /* host/held.h */
    uint8_t kind;  /* enum access_kind */
    bool is_free;
};

/* The number of the access's site, from 1. `node`: of the thread's stack. */
HIDDEN uint32_t sites_number(struct thread *t, uint32_t node, const struct race_access_live *a);

HIDDEN const struct site *sites_at(uint32_t number);

/* The site of an access that touched this byte. */
HIDDEN void sites_tell(const struct site *s, uintptr_t byte, struct access_site *told);
