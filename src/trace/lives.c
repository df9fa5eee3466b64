#include "trace/lives.h"

#include <string.h>

enum {
    WORD = 4,
    GROUP = 8,
    PAGE = 4096,
    GROUPS = PAGE / GROUP,
    LEVEL_BITS = 18,
    LEVEL = 1 << LEVEL_BITS /* two levels of tables over 48 bits of address */
};

struct page {
    uint32_t half[GROUPS][2]; /* lives + 1; 0: none. Both the same: one life has the whole group */
};

struct lives {
    struct mem mem;
    struct page **directory[LEVEL];
    uint16_t *facts; /* by life */
    size_t facts_capacity;
    uint32_t count;
};

struct lives *lives_new(void)
{
    struct mem mem = {0};
    struct lives *l = mem_alloc(&mem, sizeof *l);
    l->mem = mem;
    return l;
}

static void forget_pages(struct lives *l)
{
    for (size_t i = 0; i < LEVEL; i++) {
        struct page **table = l->directory[i];
        for (size_t k = 0; table != NULL && k < LEVEL; k++)
            if (table[k] != NULL)
                mem_free(&l->mem, table[k], sizeof *table[k]);
        mem_free(&l->mem, table, table != NULL ? LEVEL * sizeof *table : 0);
        l->directory[i] = NULL;
    }
}

void lives_free(struct lives *l)
{
    forget_pages(l);
    mem_free(&l->mem, l->facts, l->facts_capacity * sizeof *l->facts);
    struct mem mem = l->mem;
    mem_free(&mem, l, sizeof *l);
}

void lives_again(struct lives *l)
{
    forget_pages(l);
    l->count = 0;
}

/* --- lives --- */

static uint32_t new_life(struct lives *l)
{
    require(l->count < UINT32_MAX - 1);
    l->facts = mem_reserve(&l->mem, l->facts, sizeof *l->facts, &l->facts_capacity, (size_t)l->count + 1);
    return ++l->count;
}

uint16_t *lives_facts(struct lives *l, uint32_t life)
{
    return &l->facts[life];
}

void lives_cut(struct lives *l, uint32_t life, unsigned from, unsigned to)
{
    l->facts[life] |= (uint16_t)((1u << from | 1u << to) & LIFE_CUTS);
}

/* --- pages --- */

static struct page **table_of(const struct lives *l, uintptr_t address)
{
    return l->directory[address / PAGE / LEVEL % LEVEL];
}

static struct page *find_page(const struct lives *l, uintptr_t address)
{
    struct page **table = table_of(l, address);
    return table != NULL ? table[address / PAGE % LEVEL] : NULL;
}

static struct page *make_page(struct lives *l, uintptr_t address)
{
    struct page ***table = &l->directory[address / PAGE / LEVEL % LEVEL];
    if (*table == NULL)
        *table = mem_alloc(&l->mem, LEVEL * sizeof **table);
    struct page **page = &(*table)[address / PAGE % LEVEL];
    if (*page == NULL)
        *page = mem_alloc(&l->mem, sizeof **page);
    return *page;
}

/* Where there is no table, there is nothing before this. */
static uintptr_t next_table(uintptr_t address)
{
    return (address / PAGE / LEVEL + 1) * LEVEL * PAGE;
}

/* --- accesses --- */

struct visit {
    struct lives *lives;
    bool make;
    lives_visit *call;
    void *context;
};

static void visit_half(const struct visit *v, uint32_t *half, uintptr_t base, unsigned from, unsigned to)
{
    if (*half == 0 && v->make)
        *half = new_life(v->lives);
    if (*half != 0)
        v->call(v->context, *half - 1, base, from, to);
}

static void visit_group(const struct visit *v, uint32_t half[2], uintptr_t base, unsigned from, unsigned to)
{
    if (half[0] == 0 && half[1] == 0 && v->make)
        half[0] = half[1] = new_life(v->lives);
    if (half[0] == half[1]) {
        if (half[0] != 0)
            v->call(v->context, half[0] - 1, base, from, to);
        return;
    }
    if (from < WORD)
        visit_half(v, &half[0], base, from, to < WORD ? to : WORD);
    if (to > WORD)
        visit_half(v, &half[1], base, from > WORD ? from : WORD, to);
}

static uintptr_t lesser(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

void lives_each(struct lives *l, uintptr_t address, size_t size, bool make, lives_visit *call, void *context)
{
    const struct visit v = {l, make, call, context};
    uintptr_t end = address + size;
    while (address < end) {
        uintptr_t stop = lesser(end, (address & -(uintptr_t)PAGE) + PAGE);
        struct page *page = make ? make_page(l, address) : find_page(l, address);
        for (; page != NULL && address < stop; address = (address & -(uintptr_t)GROUP) + GROUP) {
            uintptr_t base = address & -(uintptr_t)GROUP;
            visit_group(&v, page->half[base % PAGE / GROUP], base, (unsigned)(address - base),
                        (unsigned)lesser(stop - base, GROUP));
        }
        address = stop;
    }
}

/* --- clearing --- */

static void clear_group(struct lives *l, uint32_t half[2], bool low, bool high)
{
    if (low != high && half[0] == half[1] && half[0] != 0)
        lives_cut(l, half[0] - 1, WORD, WORD);
    if (low)
        half[0] = 0;
    if (high)
        half[1] = 0;
}

static void clear_page(struct lives *l, struct page *page, uintptr_t from, uintptr_t to)
{
    for (uintptr_t base = from & -(uintptr_t)GROUP; base < to; base += GROUP)
        clear_group(l, page->half[base % PAGE / GROUP], from <= base, to > base + WORD);
}

void lives_clear(struct lives *l, uintptr_t address, size_t size)
{
    uintptr_t end = address + size;
    while (address < end) {
        uintptr_t stop = lesser(end, (address & -(uintptr_t)PAGE) + PAGE);
        struct page *page = find_page(l, address);
        if (table_of(l, address) == NULL)
            stop = lesser(end, next_table(address));
        else if (page != NULL)
            clear_page(l, page, address, stop);
        address = stop;
    }
}

void lives_move(struct lives *l, uintptr_t from, uintptr_t to, size_t size)
{
    uintptr_t end = from + size, by = to - from;
    lives_clear(l, to, size);
    for (uintptr_t at = from, stop; at < end; at = table_of(l, at) != NULL ? stop : next_table(at)) {
        stop = min_size(end, (at & -(uintptr_t)PAGE) + PAGE);
        struct page *page = find_page(l, at);
        for (uintptr_t group = at; page != NULL && group < stop; group += GROUP) {
            uint32_t *half = page->half[group % PAGE / GROUP],
                     *new = make_page(l, group + by)->half[(group + by) % PAGE / GROUP];
            memcpy(new, half, sizeof page->half[0]);
            memset(half, 0, sizeof page->half[0]);
        }
    }
}
