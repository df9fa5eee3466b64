/* Memory for code inside the program under test: taken from the kernel in chunks, never from malloc.
 *
 * An arena hands out zeroed memory that is never given back. A slab hands out objects of one size that are
 * known by a small index (it fits a shadow word next to a tag) and can be given back; an object's memory
 * stays readable for ever, so that a stale index is harmless to whoever checks what it finds.
 */
#pragma once

#include "base/spin.h"

struct arena {
    struct spin lock;
    char *next;
    size_t left;
};

/* Zeroed, aligned to 64 bytes from 64 bytes on, to 16 below. Ends the program with one line when there is no
 * memory. */
void *arena_take(struct arena *arena, size_t size);

/* Whole pages straight from the kernel. */
void *arena_pages(size_t size);
void arena_pages_free(void *pages, size_t size);

/* Room for a table of which little is ever touched, however large. When the address space has none: NULL, or,
 * if it `must`, the program's end with one line.
 *
 * Where the kernel promises no more memory than there is (vm.overcommit_memory=2), room is only reserved, and
 * arena_lazy says so. Then the first touch of a piece is a fault: whoever gets the signal asks
 * arena_commit(), which is true if the instruction may go on. Nothing that the kernel itself reads or writes
 * may lie there. */
void *arena_sparse(size_t size, bool must);
bool arena_commit(uintptr_t address);
extern bool arena_lazy;

enum { SLAB_INDEX_BITS = 30, SLAB_CHUNK_BITS = 12 };

/* Free objects are in several lists, so that threads need not wait for each other. */
enum { SLAB_LISTS = 8 };

struct slab {
    size_t object; /* size; the first 4 bytes of a free object link it to the next free one */
    struct spin lock;
    uint32_t used; /* indices 1 .. used have been given out at least once; 0 is no index */
    char **chunk;  /* directory, made with the first object */
    struct slab_list {
        struct spin lock;
        uint32_t first; /* index, or 0 */
        uint32_t live;  /* given out less given back here: of all lists together, what is in use */
    } __attribute__((aligned(64))) list[SLAB_LISTS];
};

uint32_t slab_take(struct slab *slab); /* an index; the object keeps what it held when it was given back */
void slab_give(struct slab *slab, uint32_t index);
uint32_t slab_live(const struct slab *slab);

hot_inline void *slab_at(struct slab *slab, uint32_t index)
{
    char *chunk = load_acquire(&load_acquire(&slab->chunk)[index >> SLAB_CHUNK_BITS]);
    return chunk + (size_t)(index & ((1u << SLAB_CHUNK_BITS) - 1)) * slab->object;
}
