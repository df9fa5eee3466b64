/* Which chunks of memory (4 KiB each) have ever been accessed: sweeps visit only those.
 *
 * A word of the shadow that is not empty lies in a chunk that is marked as used. So only a change from empty
 * has to look, and to mark the chunk first.
 */
#pragma once

#include "base/atomic.h"
#include "shadow/map.h"

enum chunk_use {
    CHUNK_UNUSED,
    CHUNK_USED,
    CHUNK_FREED /* used, and may have entries of freed memory (shadow/freed.h) */
};
extern HIDDEN uint8_t *chunk_table; /* by chunk: enum chunk_use */

hot_inline uint32_t chunk_of(uintptr_t address)
{
    return (uint32_t)(address >> CHUNK_BITS);
}

/* Of a shadow word. */
hot_inline uint32_t shadow_chunk(const uint64_t *word)
{
    return (uint32_t)(((uintptr_t)word - shadow_base) >> (CHUNK_BITS + 1));
}

hot_inline bool chunk_used(uint32_t chunk)
{
    return likely(load_relaxed(&chunk_table[chunk]) != CHUNK_UNUSED);
}

hot_inline bool chunk_has_freed(uint32_t chunk)
{
    return load_relaxed(&chunk_table[chunk]) == CHUNK_FREED;
}

HIDDEN void chunks_init(void);

/* Marks the chunk, and makes the kernel provide its page of the shadow. */
HIDDEN void chunk_use_slow(uint32_t chunk);

hot_inline void chunk_use(uint32_t chunk)
{
    if (unlikely(!chunk_used(chunk)))
        chunk_use_slow(chunk);
}

/* Before an entry of freed memory is put there. */
hot_inline void chunk_use_freed(uint32_t chunk)
{
    if (likely(chunk_has_freed(chunk)))
        return;
    chunk_use(chunk);
    store_relaxed(&chunk_table[chunk], CHUNK_FREED);
}

HIDDEN void chunks_use(uintptr_t address, size_t size);

/* The first used one of the chunks [from, to), or `to`. */
HIDDEN size_t chunk_next_used(size_t from, size_t to);

/* Calls visit(chunk) for every used chunk. */
HIDDEN void chunks_each(void (*visit)(uint32_t chunk, void *to), void *to);
