/* Counted heap memory for the tools outside the program under test.
 *
 * Everything that a detector keeps is charged to one `struct mem`, so that "bytes per variable" is a
 * reading and not an estimate. Running out of memory ends the tool with one line: no caller checks.
 * (The runtime inside the program under test never uses this file; it has its own arenas.)
 */
#pragma once

#include "base/base.h"

struct mem {
    size_t bytes; /* charged now */
    size_t peak;  /* highest value of `bytes` so far */
};

/* Zeroed memory; size 0 gives NULL. */
void *mem_alloc(struct mem *mem, size_t size);

/* Resizes a block from old_size to new_size bytes; what is new is zero. old may be NULL with old_size 0. */
void *mem_resize(struct mem *mem, void *old, size_t old_size, size_t new_size);

void mem_free(struct mem *mem, void *block, size_t size);

/* Makes room for at least `need` elements in an array of `*capacity` elements, growing by half again so
 * that appending is amortised O(1). New elements are zero. */
void *mem_reserve(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need);

/* The same, growing by an eighth: for large arrays whose size per element is a promise. */
void *mem_reserve_tight(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need);
