/* From an entry point to the shadow: the slow path of every access. */
#pragma once

#include "runtime/report.h"

/* Checks the access, tells of a race, and remembers where it was. */
HIDDEN void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* What libc's functions access: often again in the same epoch, as strings are. */
HIDDEN void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* All accesses that one place in a loop makes or is about to make: `count` of `size` bytes, `stride` bytes
 * apart. */
HIDDEN void access_elements(uintptr_t first, size_t size, ptrdiff_t stride, size_t count,
                            enum access_kind kind, uintptr_t pc);

/* After inside++ and world_enter, and what was checked there. */
HIDDEN void access_end_check(struct thread *t);

/* A few bytes, perhaps not whole words (runtime/abi_access.c). */
HIDDEN void access_few(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* 4 or 8 bytes, as the entry points for them do. */
HIDDEN void access_words(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* Fields side by side (src/place/objects.cpp): each is an access of its own. */
struct fields;
HIDDEN void access_row(uintptr_t address, const struct fields *fields, enum access_kind kind);

/* A free() came while the access changed empty words (shadow/freed.h). */
HIDDEN void access_met_free(struct thread *t, const struct race_access_live *a);

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

/* The two steps after the shadow has answered, for checks that are made elsewhere (runtime/atomic_sync.c). */
HIDDEN void access_remember(struct thread *t, const struct race_access_live *a,
                            const struct race_found *found);
HIDDEN void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found);

/* In the child of a fork. */
HIDDEN void access_forked(const struct thread *self);
