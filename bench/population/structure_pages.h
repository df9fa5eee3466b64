/* Pages of sorted keys, as a B-tree has them: binary search, memmove to make room, whole pages copied. */
enum { PAGE_KEYS = 120 };

struct page {
    uint16_t used, flags;
    uint32_t number;
    uint32_t key[PAGE_KEYS];
    uint64_t row[PAGE_KEYS];
};

struct thing {
    uint32_t count;
    struct page *page;
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    t->count = (uint32_t)(bytes / sizeof(struct page)) + 1;
    t->page = program_memory(t->count, sizeof(struct page));
    for (uint32_t p = 0; p < t->count; p++) {
        t->page[p].used = PAGE_KEYS / 2;
        for (unsigned i = 0; i < PAGE_KEYS / 2; i++)
            t->page[p].key[i] = i * 8 + below(state, 8);
    }
    return t;
}

static void thing_free(struct thing *t)
{
    free(t->page);
    free(t);
}

static unsigned place_of(const struct page *p, uint32_t key)
{
    unsigned low = 0, high = p->used;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (p->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum { LOOKUP = 14 };

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= LOOKUP) {
        const struct page *p = &t->page[below(state, t->count)];
        unsigned at = place_of(p, below(state, PAGE_KEYS * 4));
        sink += at < p->used ? p->row[at] : p->number;
    }
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= 2 * LOOKUP) {
        struct page *p = &t->page[below(state, t->count)];
        uint32_t key = below(state, PAGE_KEYS * 4);
        unsigned at = place_of(p, key);
        if (p->used == PAGE_KEYS)
            p->used /= 2;
        if (at > p->used)
            at = p->used;
        memmove(&p->key[at + 1], &p->key[at], (p->used - at) * sizeof p->key[0]);
        memmove(&p->row[at + 1], &p->row[at], (p->used - at) * sizeof p->row[0]);
        p->key[at] = key;
        p->row[at] = left;
        p->used++;
    }
}
