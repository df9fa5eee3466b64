/* The book: one page for each block, found by where the block begins: shadow/freed.h has room there for its
 * number and, next to it, for the block's size. A page is written by the thread that allocates the block; who
 * gives the block back does not even look at it, but writes down how that was, with the page's number, in its
 * own list of the last ones. When it drops out of that list, the page is used for another block.
 *
 * Lists outlive their threads, and go on with others. Only reports look at those of other threads: what is
 * being written meanwhile they may see in part, which at worst names the wrong stack of an allocation.
 */
#include "runtime/heap.h"

#include "runtime/world.h"

struct page {
    uint32_t link; /* base/arena.h; of those that ended threads give back, the next */
    uint32_t node, thread;
    uint32_t unused;
    uintptr_t address;
    size_t size;
};
_Static_assert(sizeof(struct page) == 32, "two are a cache line");

struct ended {
    uintptr_t pc;
    uint32_t node, thread;
    uint32_t page;
    enum heap_way way;
    uint64_t when; /* in cycles; 0: nobody shall hear of it */
};

enum { REMEMBERED = 512, AT_HAND = 64 };

struct heap_list {
    struct heap_list *next;      /* all there are */
    struct heap_list *next_free; /* those whose threads have ended */
    size_t count;                /* given back, ever; the last is ended[(count - 1) % REMEMBERED] */
    uint32_t at_hand;            /* pages for blocks to come */
    uint32_t page[AT_HAND];
    struct ended ended[REMEMBERED];
};

static struct slab pages = {.object = sizeof(struct page)};
static struct spin lock; /* of the lists' lists */
static struct arena memory;
static struct heap_list *lists, *free_lists;
static uint32_t late; /* pages that ended threads give back: they may not wait for a lock */

static struct page *page_at(uint32_t index)
{
    return slab_at(&pages, index);
}

/* --- lists --- */

cold_path static struct heap_list *list_begin(struct thread *t)
{
    world_enter(t); /* nobody has the lock when another thread forks */
    spin_lock(&lock);
    struct heap_list *l = free_lists;
    if (l != NULL) {
        free_lists = l->next_free;
    } else {
        l = arena_take(&memory, sizeof *l);
        l->next = lists;
        store_release(&lists, l);
    }
    spin_unlock(&lock);
    world_leave(t);
    return t->heap = l;
}

static struct heap_list *list_of(struct thread *t)
{
    return likely(t->heap != NULL) ? t->heap : list_begin(t);
}

void heap_thread_ends(struct thread *t)
{
    struct heap_list *l = t->heap;
    if (l == NULL)
        return;
    world_enter(t);
    spin_lock(&lock);
    l->next_free = free_lists;
    free_lists = l;
    spin_unlock(&lock);
    world_leave(t);
    t->heap = NULL;
}

/* --- pages that no block has --- */

cold_path static void get_pages(struct thread *t, struct heap_list *l)
{
    world_enter(t);
    for (uint32_t index = exchange_acquire(&late, 0), next; index != 0; index = next) {
        next = page_at(index)->link;
        slab_give(&pages, index);
    }
    while (l->at_hand < AT_HAND / 2)
        l->page[l->at_hand++] = slab_take(&pages);
    world_leave(t);
}

cold_path static void give_pages(struct thread *t, struct heap_list *l)
{
    world_enter(t);
    while (l->at_hand > AT_HAND / 2)
        slab_give(&pages, l->page[--l->at_hand]);
    world_leave(t);
}

/* By a thread that has ended: others may have its memory by now. */
cold_path static void give_late(uint32_t index)
{
    uint32_t *link = &page_at(index)->link, first = load_relaxed(&late);
    do
        store_relaxed(link, first);
    while (!cas_acq_rel(&late, &first, index));
}

static uint32_t take_page(struct thread *t)
{
    struct heap_list *l = list_of(t);
    if (unlikely(l->at_hand == 0))
        get_pages(t, l);
    return l->page[--l->at_hand];
}

static void remember(struct thread *t, uint32_t index, const struct heap_end *end)
{
    if (unlikely(t == NULL || t->ended)) {
        give_late(index);
        return;
    }
    struct heap_list *l = list_of(t);
    size_t number = l->count++;
    struct ended *e = &l->ended[number % REMEMBERED];
    if (unlikely(l->at_hand == AT_HAND))
        give_pages(t, l);
    if (likely(number >= REMEMBERED)) { /* else it is new: to look at it first is a second page fault */
        l->page[l->at_hand++] = e->page;
        __builtin_prefetch(page_at(e->page), 1); /* the next block has it, and it was not used for long */
    }
    *e = (struct ended){.pc = end->pc,
                        .node = end->node,
                        .thread = end->thread,
                        .page = index,
                        .way = end->way,
                        .when = likely(end->pc != 0) ? __builtin_ia32_rdtsc() : 0};
}

/* --- blocks --- */

static uint32_t *entry_of(uintptr_t address)
{
    return freed_of(shadow_of(address));
}

static uint32_t page_in(uint32_t entry)
{
    return entry & ~FREED_BLOCK;
}

static bool is_block(uintptr_t address, uint32_t entry)
{
    return freed_is_block(entry) && address % 8 == 0;
}

/* A block of more than 8 bytes has a second entry, for its size if that fits. */
static void put(uint32_t *entry, uint32_t page, size_t size)
{
    if (likely(size > 8 && size <= ~FREED_SIZE))
        store_relaxed(&entry[1], FREED_SIZE | (uint32_t)size);
    else if (freed_is_size(load_relaxed(&entry[1])))
        store_relaxed(&entry[1], 0);
    store_release(&entry[0], FREED_BLOCK | page);
}

void heap_add(const struct heap_block *block)
{
    if (unlikely(block->address % 8 != 0)) /* of no allocator that we know */
        return;
    uint32_t *entry = entry_of(block->address), seen = load_relaxed(entry);
    uint32_t index = unlikely(freed_is_block(seen)) ? page_in(seen) : take_page(thread_self);
    struct page *page = page_at(index);
    page->address = block->address;
    page->size = block->size;
    page->node = block->node;
    page->thread = block->thread;
    put(entry, index, block->size);
}

/* Who gives a small block back looks at all its words next. */
static void prefetch_words(uintptr_t address, size_t size)
{
    enum { LINE = 64, MOST = 1024 };
    uintptr_t word = (uintptr_t)shadow_of(address), end = word + 2 * min_size(size, MOST);
    while ((word += LINE) < end)
        __builtin_prefetch((const void *)word, 1);
}

/* Who frees a block twice at the same time gets a page into two lists: two blocks share one then, for
 * reports. */
bool heap_remove(uintptr_t address, const struct heap_end *end, size_t *size)
{
    uint32_t *entry = entry_of(address), seen = load_acquire(&entry[0]), second = load_relaxed(&entry[1]);
    if (!is_block(address, seen))
        return false;
    if (likely(freed_is_size(second))) {
        *size = second & ~FREED_SIZE;
        store_relaxed(&entry[1], 0);
    } else {
        *size = page_at(page_in(seen))->size;
    }
    store_relaxed(&entry[0], 0);
    prefetch_words(address, *size);
    remember(thread_self, page_in(seen), end);
    return true;
}

bool heap_grow(uintptr_t address, size_t size, size_t *before)
{
    uint32_t *entry = entry_of(address), seen = load_acquire(entry);
    if (!is_block(address, seen))
        return false;
    struct page *page = page_at(page_in(seen));
    *before = page->size;
    if (*before >= size)
        return false;
    page->size = size;
    put(entry, page_in(seen), size);
    return true;
}

bool heap_next(uintptr_t *from, uintptr_t to, size_t *size)
{
    for (uintptr_t at = (*from + 7) & -(uintptr_t)8; at < to; at += 8) {
        uint32_t entry = load_acquire(entry_of(at));
        if (!freed_is_block(entry))
            continue;
        *size = page_at(page_in(entry))->size;
        *from = at;
        return true;
    }
    return false;
}

static void move_block(uintptr_t from, uintptr_t to)
{
    uint32_t *entry = entry_of(from), seen = load_relaxed(&entry[0]);
    if (!freed_is_block(seen))
        return;
    struct page *page = page_at(page_in(seen));
    store_relaxed(&entry[0], 0);
    if (freed_is_size(load_relaxed(&entry[1])))
        store_relaxed(&entry[1], 0);
    page->address = to;
    put(entry_of(to), page_in(seen), page->size);
}

void heap_move(uintptr_t from, uintptr_t to, size_t size)
{
    for (size_t offset = 0; offset < size; offset += 8)
        move_block(from + offset, to + offset);
}

enum heap_way heap_last_way(const struct thread *t)
{
    const struct heap_list *l = t->heap;
    return l != NULL && l->count > 0 ? l->ended[(l->count - 1) % REMEMBERED].way : HEAP_FREE;
}

/* --- for reports --- */

static struct heap_block block_of(uint32_t index)
{
    const struct page *page = page_at(index);
    return (struct heap_block){page->address, page->size, page->node, page->thread};
}

static bool contains(const struct heap_block *block, uintptr_t address)
{
    return address - block->address < block->size;
}

bool heap_containing(uintptr_t address, struct heap_block *block)
{
    for (uint32_t index = 1; index <= load_acquire(&pages.used); index++) {
        *block = block_of(index);
        uint32_t entry = contains(block, address) ? load_acquire(entry_of(block->address)) : 0;
        if (freed_is_block(entry) && page_in(entry) == index)
            return true;
    }
    return false;
}

bool heap_ended(uintptr_t address, bool exactly, struct heap_ended *ended)
{
    uint64_t latest = 0;
    for (const struct heap_list *l = load_acquire(&lists); l != NULL; l = l->next)
        for (size_t i = 0; i < REMEMBERED; i++) {
            struct ended e = l->ended[i];
            if (e.when <= latest)
                continue;
            struct heap_block block = block_of(e.page);
            if (exactly ? address != block.address : !contains(&block, address))
                continue;
            latest = e.when;
            *ended =
                (struct heap_ended){block, {.pc = e.pc, .node = e.node, .thread = e.thread, .way = e.way}};
        }
    return latest != 0;
}
