#include "shadow/bytes.h"

#include "base/arena.h"
#include "shadow/freed.h"

read_mostly uint64_t **byte_pages;

static struct arena room;
static struct spin lock;     /* of what follows */
static uint64_t *free_pages; /* linked by their first cells */
static uint32_t taken;

void bytes_init(void)
{
    byte_pages = arena_sparse(sizeof *byte_pages << 32, true);
}

static uint64_t *take_page(void)
{
    spin_lock(&lock);
    uint64_t *page = free_pages;
    if (page != NULL) {
        free_pages = (uint64_t *)(uintptr_t)page[0];
        page[0] = 0;
    }
    taken++;
    spin_unlock(&lock);
    return page != NULL ? page : arena_take(&room, CHUNK_BYTES * sizeof *page);
}

static void give_page(uint64_t *page)
{
    spin_lock(&lock);
    page[0] = (uint64_t)(uintptr_t)free_pages;
    free_pages = page;
    spin_unlock(&lock);
}

cold_path static void make_page(uint32_t chunk)
{
    uint64_t *none = NULL, *page = take_page();
    if (!cas_acq_rel(&byte_pages[chunk], &none, page))
        give_page(page);
}

void bytes_free_page(uint32_t chunk)
{
    uint64_t *page = byte_pages[chunk];
    store_release(&byte_pages[chunk], NULL);
    __builtin_memset(page, 0, CHUNK_BYTES * sizeof *page);
    give_page(page);
}

uint32_t bytes_pages_count(void)
{
    return load_relaxed(&taken);
}

/* The word was empty when it became BUSY: was its memory freed meanwhile? (shadow/freed.h) */
static uint64_t empty_state(const uint64_t *word)
{
    uint32_t freed = freed_when(word);
    if (unlikely(freed != 0))
        freed_mark(word);
    return freed;
}

void bytes_materialize(uint64_t *word, uint64_t seen)
{
    uint32_t chunk = shadow_chunk(word);
    uint64_t old = seen, busy = BUSY;
    if (unlikely(load_relaxed(&byte_pages[chunk]) == NULL))
        make_page(chunk);
    if (!cas_acq_rel(word, &old, BUSY))
        return;
    uint64_t *cell = byte_cells(word), state = seen;
    if (seen == 0)
        state = empty_state(word);
    else if (is_vector(read_half(seen)))
        state = (uint64_t)state_take_readers(seen) << 32 | write_half(seen);
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&cell[i], state);
    cas_acq_rel(word, &busy, PAGED); /* or its memory was given out meanwhile, and the word is empty */
}

/* A cell is BUSY while its readers become a set (shadow/state.c). */
static uint64_t close(uint64_t *cell)
{
    for (;;) {
        uint64_t seen = load_acquire(cell);
        if (unlikely(write_half(seen) == BUSY))
            sys_yield();
        else if (likely(cas_acq_rel(cell, &seen, CELL_CLOSED)))
            return seen;
    }
}

bool bytes_close(uint64_t *word, uint64_t cell[4])
{
    uint64_t seen = PAGED, *at = byte_cells(word);
    if (!cas_acq_rel(word, &seen, BUSY))
        return false;
    for (unsigned i = 0; i < 4; i++)
        cell[i] = close(&at[i]);
    return true;
}
