#include "base/arena.h"

#include "base/out.h"

enum { CHUNK_BYTES = 1 << 20 };

static cold_path _Noreturn void no_memory(size_t size)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: out of memory: ");
    out_number(&out, size);
    out_text(&out, " bytes wanted by the race detector\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

void *arena_pages(size_t size)
{
    void *pages = sys_map(NULL, size, PROT_READ | PROT_WRITE, MAP_NORESERVE);
    if (pages == NULL)
        no_memory(size);
    return pages;
}

void arena_pages_free(void *pages, size_t size)
{
    sys_unmap(pages, size);
}

void *arena_take(struct arena *arena, size_t size)
{
    size_t align = size >= 64 ? 64 : 16;
    if (size >= CHUNK_BYTES / 4)
        return arena_pages(size);
    spin_lock(&arena->lock);
    size_t skip = -(uintptr_t)arena->next & (align - 1);
    if (arena->left < size + skip) {
        arena->next = arena_pages(CHUNK_BYTES);
        arena->left = CHUNK_BYTES;
        skip = 0;
    }
    char *taken = arena->next + skip;
    arena->next += skip + size;
    arena->left -= skip + size;
    spin_unlock(&arena->lock);
    return taken;
}

uint32_t slab_take(struct slab *slab)
{
    spin_lock(&slab->lock);
    uint32_t index = slab->free_list;
    if (index != 0) {
        slab->free_list = *(uint32_t *)slab_at(slab, index);
    } else {
        index = ++slab->used;
        if (index >> SLAB_INDEX_BITS)
            no_memory(slab->object);
        if (slab->chunk == NULL)
            store_release(&slab->chunk, arena_pages(sizeof(char *) << (SLAB_INDEX_BITS - SLAB_CHUNK_BITS)));
        char **chunk = &slab->chunk[index >> SLAB_CHUNK_BITS];
        if (*chunk == NULL)
            store_release(chunk, arena_pages(slab->object << SLAB_CHUNK_BITS));
    }
    slab->live++;
    spin_unlock(&slab->lock);
    return index;
}

void slab_give(struct slab *slab, uint32_t index)
{
    spin_lock(&slab->lock);
    *(uint32_t *)slab_at(slab, index) = slab->free_list;
    slab->free_list = index;
    slab->live--;
    spin_unlock(&slab->lock);
}
