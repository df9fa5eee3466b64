#include "runtime/host/memory.h"

#include "runtime/host/lock_turns.h"
#include "runtime/host/news.h"
#include "runtime/host/posts.h"
#include "runtime/host/recorder.h"
#include "shadow/empty.h"

enum { WORD = 4, GROUP = 8, PAGE = 4096, GROUPS = PAGE / GROUP, LEVEL_BITS = 18, LEVEL = 1 << LEVEL_BITS };

struct page {
    struct page *next_free;
    uint32_t used;  /* groups with pieces, and those with sync objects */
    uint32_t *sync; /* by group; NULL: there have never been any */
    uint32_t piece[GROUPS];
};

uint64_t memory_clears;

/* Two levels of tables over 48 bits of address; tables are never given back, pages are. */
static struct page **directory[LEVEL];
static struct page *free_pages; /* all zero, but for their `sync` */
static struct arena memory;
static struct slab pieces = {.object = sizeof(struct piece)}, syncs = {.object = sizeof(struct host_sync)};

static size_t page_number(uintptr_t address)
{
    return address / PAGE % ((size_t)LEVEL * LEVEL);
}

static struct page **table_of(size_t number)
{
    return directory[number / LEVEL];
}

static struct page *find_page(uintptr_t address)
{
    size_t number = page_number(address);
    return table_of(number) != NULL ? table_of(number)[number % LEVEL] : NULL;
}

static struct page *make_page(uintptr_t address)
{
    size_t number = page_number(address);
    if (table_of(number) == NULL)
        directory[number / LEVEL] = arena_pages(LEVEL * sizeof(struct page *));
    struct page **page = &table_of(number)[number % LEVEL];
    if (likely(*page != NULL))
        return *page;
    *page = free_pages;
    if (*page != NULL)
        free_pages = (*page)->next_free;
    else
        *page = arena_take(&memory, sizeof **page);
    return *page;
}

static unsigned group_of(uintptr_t address)
{
    return (unsigned)(address % PAGE / GROUP);
}

static struct piece *piece_at(uint32_t index)
{
    return slab_at(&pieces, index);
}

static struct host_sync *sync_at(uint32_t index)
{
    return slab_at(&syncs, index);
}

/* --- pieces --- */

static uint32_t copied(uint32_t variable)
{
    if (variable == 0)
        return 0;
    uint32_t own = events_new_variable();
    events_copy(variable - 1, own);
    return own + 1;
}

/* The piece keeps what is below `at`; the rest is a piece after it. */
static void split(struct piece *p, unsigned at)
{
    uint32_t index = slab_take(&pieces);
    *piece_at(index) = (struct piece){.next = p->next,
                                      .plain = copied(p->plain),
                                      .stored = copied(p->stored),
                                      .loaded = copied(p->loaded),
                                      .from = (uint8_t)at,
                                      .to = p->to};
    p->next = index;
    p->to = (uint8_t)at;
}

static void insert(uint32_t *link, unsigned from, unsigned to)
{
    uint32_t index = slab_take(&pieces);
    *piece_at(index) = (struct piece){.next = *link, .from = (uint8_t)from, .to = (uint8_t)to};
    *link = index;
}

/* Where the piece that begins at `from` is linked to, and ends at `to` or before; NULL: there is none, and
 * none is to be made. */
static uint32_t *link_of(uint32_t *link, unsigned from, unsigned to, bool make)
{
    for (;;) {
        struct piece *p = *link != 0 ? piece_at(*link) : NULL;
        if (p == NULL || p->from >= to) {
            if (!make)
                return NULL;
            insert(link, from, to);
            return link;
        }
        if (p->to <= from) {
            link = &p->next;
        } else if (p->from > from) {
            if (!make) {
                from = p->from;
                continue;
            }
            insert(link, from, p->from);
            return link;
        } else if (p->from < from) {
            split(p, from);
        } else {
            if (p->to > to)
                split(p, to);
            return link;
        }
    }
}

static void each_in_group(struct page *page, uintptr_t base, unsigned from, unsigned to, bool make,
                          memory_visit *visit, void *context)
{
    uint32_t *head = &page->piece[group_of(base)], *link = head;
    page->used += make && *head == 0;
    while (from < to && (link = link_of(link, from, to, make)) != NULL) {
        struct piece *p = piece_at(*link);
        visit(context, p, base + p->from);
        from = p->to;
        link = &p->next;
    }
}

/* [from, to) lies on one page. */
static void each_on_page(struct page *page, uintptr_t from, uintptr_t to, bool make, memory_visit *visit,
                         void *context)
{
    for (uintptr_t base = from & -(uintptr_t)GROUP; base < to; base += GROUP) {
        unsigned first = base < from ? (unsigned)(from - base) : 0;
        unsigned last = to - base < GROUP ? (unsigned)(to - base) : GROUP;
        each_in_group(page, base, first, last, make, visit, context);
    }
}

void memory_each(uintptr_t address, size_t size, bool make, memory_visit *visit, void *context)
{
    uintptr_t end = address + size;
    while (address < end) {
        uintptr_t next = (address & -(uintptr_t)PAGE) + PAGE, to = end < next ? end : next;
        struct page *page = make ? make_page(address) : find_page(address);
        if (page != NULL)
            each_on_page(page, address, to, make, visit, context);
        address = to;
    }
}

const struct piece *memory_find(uintptr_t address)
{
    const struct page *page = find_page(address);
    unsigned byte = address % GROUP;
    uint32_t index = page != NULL ? page->piece[group_of(address)] : 0;
    while (index != 0 && piece_at(index)->to <= byte)
        index = piece_at(index)->next;
    return index != 0 && piece_at(index)->from <= byte ? piece_at(index) : NULL;
}

/* --- sync objects --- */

static struct host_sync *find_sync(uintptr_t address, bool make)
{
    struct page *page = make ? make_page(address) : find_page(address);
    if (page == NULL || (page->sync == NULL && !make))
        return NULL;
    if (page->sync == NULL)
        page->sync = arena_take(&memory, GROUPS * sizeof *page->sync);
    uint32_t *head = &page->sync[group_of(address)];
    for (uint32_t index = *head; index != 0; index = sync_at(index)->next)
        if (sync_at(index)->address == address)
            return sync_at(index);
    if (!make)
        return NULL;
    page->used += *head == 0;
    uint32_t index = slab_take(&syncs);
    *sync_at(index) = (struct host_sync){.next = *head, .address = address};
    *head = index;
    return sync_at(index);
}

/* Those that were asked for last. */
static struct host_sync *recent[4096];

static struct host_sync **recent_of(uintptr_t address)
{
    return &recent[(address >> 3 ^ address >> 15) % array_length(recent)];
}

struct host_sync *memory_sync(uintptr_t address, bool make)
{
    struct host_sync **known = recent_of(address);
    if (make)
        news_add(address);
    if (*known == NULL || (*known)->address != address) {
        struct host_sync *s = find_sync(address, make);
        if (s == NULL)
            return NULL;
        store_release(known, s);
    }
    lock_turns_end(*known);
    return *known;
}

struct host_sync *memory_sync_seen(uintptr_t address)
{
    return load_acquire(recent_of(address));
}

/* --- forgetting --- */

static void give_variable(uint32_t variable)
{
    if (variable != 0)
        events_give_variable(variable - 1);
}

static void drop_pieces(struct page *page, unsigned group, unsigned from, unsigned to)
{
    uint32_t *head = &page->piece[group], *link = head;
    if (*head == 0)
        return;
    while ((link = link_of(link, from, to, false)) != NULL) {
        uint32_t index = *link;
        struct piece *p = piece_at(index);
        *link = p->next;
        give_variable(p->plain);
        give_variable(p->stored);
        give_variable(p->loaded);
        slab_give(&pieces, index);
    }
    page->used -= *head == 0;
}

static void drop_syncs(struct page *page, unsigned group, unsigned from, unsigned to)
{
    uint32_t *head = page->sync != NULL ? &page->sync[group] : NULL;
    if (head == NULL || *head == 0)
        return;
    for (uint32_t *link = head; *link != 0;) {
        uint32_t index = *link;
        struct host_sync *s = sync_at(index);
        if (s->address % GROUP < from || s->address % GROUP >= to) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        if (*recent_of(s->address) == s)
            *recent_of(s->address) = NULL;
        lock_turns_end(s);
        posts_free(&s->released);
        posts_free(&s->readers);
        posts_free(&s->stored);
        s->address = 0;
        slab_give(&syncs, index);
    }
    page->used -= *head == 0;
}

/* [from, to) of the page. */
static void clear_page(struct page **page, unsigned from, unsigned to)
{
    for (unsigned base = from & -(unsigned)GROUP; base < to && (*page)->used > 0; base += GROUP) {
        unsigned first = base < from ? from - base : 0, last = to - base < GROUP ? to - base : GROUP;
        drop_pieces(*page, base / GROUP, first, last);
        drop_syncs(*page, base / GROUP, first, last);
    }
    if ((*page)->used > 0)
        return;
    (*page)->next_free = free_pages;
    free_pages = *page;
    *page = NULL;
}

static void clear(uintptr_t address, size_t size)
{
    uintptr_t end = address + size;
    while (address < end) {
        size_t number = page_number(address);
        if (table_of(number) == NULL) { /* nothing up to the next table */
            address = (address / PAGE / LEVEL + 1) * LEVEL * PAGE;
            continue;
        }
        struct page **page = &table_of(number)[number % LEVEL];
        uintptr_t base = address & -(uintptr_t)PAGE;
        if (*page != NULL)
            clear_page(page, (unsigned)(address - base), (unsigned)(end - base < PAGE ? end - base : PAGE));
        address = base + PAGE;
    }
}

/* Only hints are there (host/hints.h). */
void shadow_touch(uintptr_t address, size_t size)
{
    if (recorder_on)
        touch_pages((uintptr_t)shadow_of(address), (uintptr_t)(shadow_of(address + size - 1) + 1));
}

/* Whole words, as shadow/map.h says. */
void shadow_clear_used(uintptr_t address, size_t size)
{
    shadow_clear(address, size);
}

void shadow_clear(uintptr_t address, size_t size)
{
    if (events_detector == NULL || size == 0 || events_interrupted())
        return;
    uintptr_t from = address & -(uintptr_t)WORD, to = (address + size + WORD - 1) & -(uintptr_t)WORD;
    events_enter();
    if (recorder_on)
        recorder_clear(from, to - from);
    clear(from, to - from);
    store_relaxed(&memory_clears, memory_clears + 1);
    events_leave();
}

static void move_pieces(struct page *page, uintptr_t from, uintptr_t to)
{
    uint32_t *head = &page->piece[group_of(from)];
    if (*head == 0)
        return;
    struct page *new = make_page(to);
    new->piece[group_of(to)] = *head;
    new->used++;
    *head = 0;
    page->used--;
}

/* No tape knows them by their new addresses. */
static void move_syncs(struct page *page, uintptr_t from, uintptr_t to)
{
    uint32_t *head = page->sync != NULL ? &page->sync[group_of(from)] : NULL;
    if (head == NULL || *head == 0)
        return;
    for (uint32_t index = *head; index != 0; index = sync_at(index)->next) {
        struct host_sync *s = sync_at(index);
        if (*recent_of(s->address) == s)
            store_release(recent_of(s->address), NULL);
        lock_turns_end(s);
        s->address += to - from;
        s->lock = s->tape = 0;
    }
    struct page *new = make_page(to);
    if (new->sync == NULL)
        new->sync = arena_take(&memory, GROUPS * sizeof *new->sync);
    new->sync[group_of(to)] = *head;
    new->used++;
    *head = 0;
    page->used--;
}

void shadow_move(uintptr_t from, uintptr_t to, size_t size)
{
    if (events_detector == NULL || events_interrupted())
        return;
    events_enter();
    if (recorder_on)
        recorder_move(from, to, size);
    clear(to, size);
    for (uintptr_t at = from, end = from + size; at < end;) {
        struct page *page = find_page(at);
        uintptr_t stop = min_size(end, (at & -(uintptr_t)PAGE) + PAGE);
        for (; page != NULL && page->used > 0 && at < stop; at += GROUP) {
            move_pieces(page, at, at + (to - from));
            move_syncs(page, at, at + (to - from));
        }
        at = stop;
    }
    store_relaxed(&memory_clears, memory_clears + 1);
    events_leave();
}
