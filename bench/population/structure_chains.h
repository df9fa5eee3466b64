/* A hash table with chains: lookups; entries are taken out, freed, made anew and put in. */
struct entry {
    struct entry *next;
    uint32_t key;
    ELEMENT value[4];
};

struct thing {
    uint32_t keys, buckets;
    struct entry **bucket;
};

static struct entry **chain_of(struct thing *t, uint32_t key)
{
    return &t->bucket[key * 2654435761u % t->buckets];
}

static void put(struct thing *t, uint32_t key)
{
    struct entry *e = malloc(sizeof *e), **chain = chain_of(t, key);
    if (e == NULL)
        abort();
    e->key = key;
    for (unsigned i = 0; i < 4; i++)
        e->value[i] = (ELEMENT)key;
    e->next = *chain;
    *chain = e;
}

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    (void)state;
    t->keys = (uint32_t)(bytes / 64) + 4;
    t->buckets = t->keys / 2 + 1;
    t->bucket = program_memory(t->buckets, sizeof *t->bucket);
    for (uint32_t key = 0; key < t->keys; key++)
        put(t, key);
    return t;
}

static void thing_free(struct thing *t)
{
    for (uint32_t i = 0; i < t->buckets; i++)
        while (t->bucket[i] != NULL) {
            struct entry *e = t->bucket[i];
            t->bucket[i] = e->next;
            free(e);
        }
    free(t->bucket);
    free(t);
}

static struct entry **find(struct thing *t, uint32_t key)
{
    struct entry **at = chain_of(t, key);
    while ((*at)->key != key)
        at = &(*at)->next;
    return at;
}

enum { LOOKUP = 10 };

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= LOOKUP) {
        const struct entry *e = *find(t, below(state, t->keys));
        sink += (uint64_t)e->value[0] + (uint64_t)e->value[3];
    }
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= 2 * LOOKUP) {
        uint32_t key = below(state, t->keys);
        struct entry **at = find(t, key), *e = *at;
        if (STRIDE % 2 == 0) {
            e->value[key & 3]++;
            continue;
        }
        *at = e->next;
        free(e);
        put(t, key);
    }
}
