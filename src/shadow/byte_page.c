#include "shadow/byte_page.h"

#include "base/arena.h"

read_mostly uint64_t **byte_pages;

static struct arena room;
static struct spin lock;     /* of what follows */
static uint64_t *free_pages; /* linked by their first cells */
static uint32_t taken;

/* How many words were expanded before: by a part of the chunk's number, and several threads write it. A
 * struct with some odd bytes in it does without a page. */
#ifndef BYTE_PAGE_AFTER /* test builds have it at 0 and 2 */
#define BYTE_PAGE_AFTER 128
#endif
enum { CHUNKS_KNOWN = 1 << 14 };
static uint8_t expanded[CHUNKS_KNOWN];

void byte_page_init(void)
{
    byte_pages = arena_sparse(sizeof *byte_pages << 32, true);
}

static uint64_t *take(void)
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

uint64_t *byte_page_wanted(uint32_t chunk)
{
    uint64_t *page = byte_page_of(chunk);
    uint8_t *before = &expanded[chunk % CHUNKS_KNOWN];
    int seen = load_relaxed(before);
    if (likely(page != NULL))
        return page;
    if (seen < BYTE_PAGE_AFTER) {
        store_relaxed(before, (uint8_t)(seen + 1));
        return NULL;
    }
    page = take();
    store_release(&byte_pages[chunk], page);
    return page;
}

/* Emptied: who looks without being in the chunk, and is late, finds nothing of another chunk's in it. */
void byte_page_give(uint32_t chunk)
{
    uint64_t *page = byte_page_of(chunk);
    store_release(&byte_pages[chunk], NULL);
    __builtin_memset(page, 0, CHUNK_BYTES * sizeof *page);
    spin_lock(&lock);
    page[0] = (uint64_t)(uintptr_t)free_pages;
    free_pages = page;
    spin_unlock(&lock);
}

uint32_t byte_page_count(void)
{
    return load_relaxed(&taken);
}
