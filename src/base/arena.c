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

/* --- sparse tables --- */

bool arena_lazy;

/* What is only reserved: a few large tables, and one place for all that are smaller. */
enum { MOST_RESERVED = 10, PIECE = 1 << 20 };
#define SMALLER (UINT64_C(1) << 30)
static struct {
    uintptr_t from, to;
} reserved[MOST_RESERVED];
static uint32_t reserved_count;
static struct arena smaller; /* its lock is that of all this */

static void *reserve_locked(size_t size)
{
    void *room = reserved_count < MOST_RESERVED ? sys_map(NULL, size, PROT_NONE, MAP_NORESERVE) : NULL;
    if (room != NULL) {
        reserved[reserved_count].from = (uintptr_t)room;
        reserved[reserved_count].to = (uintptr_t)room + size;
        store_release(&reserved_count, reserved_count + 1);
    }
    return room;
}

static void *reserve_smaller_locked(size_t size)
{
    if (smaller.left < size) {
        smaller.left = SMALLER << 10;
        smaller.next = reserve_locked(smaller.left);
        if (smaller.next == NULL)
            return smaller.left = 0, NULL;
    }
    void *room = smaller.next;
    smaller.next += size;
    smaller.left -= size;
    return room;
}

void *arena_sparse(size_t size, bool must)
{
    void *room = arena_lazy ? NULL : sys_map(NULL, size, PROT_READ | PROT_WRITE, MAP_NORESERVE);
    if (room != NULL)
        return room;
    spin_lock(&smaller.lock);
    room = size < SMALLER ? reserve_smaller_locked(size) : reserve_locked(size);
    spin_unlock(&smaller.lock);
    arena_lazy = arena_lazy || room != NULL;
    if (room == NULL && must)
        no_memory(size);
    return room;
}

bool arena_commit(uintptr_t address)
{
    for (uint32_t i = 0; i < load_acquire(&reserved_count); i++) {
        if (address < reserved[i].from || address >= reserved[i].to)
            continue;
        uintptr_t from = address & -(uintptr_t)PIECE, to = from + PIECE;
        from = from < reserved[i].from ? reserved[i].from : from;
        to = to > reserved[i].to ? reserved[i].to : to;
        if (sys_call3(SYS_mprotect, (long)from, (long)(to - from), PROT_READ | PROT_WRITE) != 0)
            no_memory(to - from);
        return true;
    }
    return false;
}

/* --- small things --- */

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

/* Threads are told apart by their stacks. */
static struct slab_list *list_of(struct slab *slab)
{
    uint32_t stack = (uint32_t)((uintptr_t)__builtin_frame_address(0) >> 16);
    return &slab->list[stack * UINT32_C(0x9e3779b1) / (UINT32_MAX / SLAB_LISTS + 1)];
}

static uint32_t take_free(struct slab *slab, struct slab_list *list)
{
    spin_lock(&list->lock);
    uint32_t index = list->first;
    if (index != 0)
        list->first = *(uint32_t *)slab_at(slab, index);
    spin_unlock(&list->lock);
    return index;
}

static uint32_t take_new(struct slab *slab)
{
    spin_lock(&slab->lock);
    uint32_t index = slab->used + 1;
    if (index >> SLAB_INDEX_BITS)
        no_memory(slab->object);
    if (slab->chunk == NULL)
        store_release(&slab->chunk, arena_pages(sizeof(char *) << (SLAB_INDEX_BITS - SLAB_CHUNK_BITS)));
    char **chunk = &slab->chunk[index >> SLAB_CHUNK_BITS];
    if (*chunk == NULL)
        store_release(chunk, arena_pages(slab->object << SLAB_CHUNK_BITS));
    store_release(&slab->used, index); /* reports go along all of them */
    spin_unlock(&slab->lock);
    return index;
}

uint32_t slab_take(struct slab *slab)
{
    struct slab_list *own = list_of(slab);
    uint32_t index = 0;
    add_relaxed(&own->live, 1);
    for (unsigned i = 0; i < SLAB_LISTS && index == 0; i++) {
        struct slab_list *list = &slab->list[((unsigned)(own - slab->list) + i) % SLAB_LISTS];
        if (load_relaxed(&list->first) != 0)
            index = take_free(slab, list);
    }
    return likely(index != 0) ? index : take_new(slab);
}

void slab_give(struct slab *slab, uint32_t index)
{
    struct slab_list *own = list_of(slab);
    spin_lock(&own->lock);
    *(uint32_t *)slab_at(slab, index) = own->first;
    own->first = index;
    spin_unlock(&own->lock);
    add_relaxed(&own->live, -1u);
}

uint32_t slab_live(const struct slab *slab)
{
    uint32_t live = 0;
    for (unsigned i = 0; i < SLAB_LISTS; i++)
        live += load_relaxed(&slab->list[i].live);
    return live;
}
