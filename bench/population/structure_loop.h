/* Plain loops over arrays, as a compiler likes them: sums, scaling, copies of a part. */
struct thing {
    size_t count;
    ELEMENT *a, *b;
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    t->count = bytes / 2 / sizeof(ELEMENT) + 16;
    t->a = program_memory(t->count, sizeof(ELEMENT));
    t->b = program_memory(t->count, sizeof(ELEMENT));
    for (size_t i = 0; i < t->count; i++)
        t->a[i] = (ELEMENT)random_next(state);
    return t;
}

static void thing_free(struct thing *t)
{
    free(t->a);
    free(t->b);
    free(t);
}

/* A part of LENGTH elements, or all. */
static size_t part(const struct thing *t, uint32_t *state, size_t *from)
{
    size_t length = LENGTH < t->count ? LENGTH : t->count;
    *from = below(state, (uint32_t)(t->count - length + 1));
    return *from + length;
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    size_t from, to = part(t, state, &from);
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        sum += (uint64_t)t->a[i];
    sink += sum;
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    size_t from, to = part(t, state, &from);
    for (size_t i = from; i < to; i++)
        t->b[i] = (ELEMENT)(t->a[i] * 3 + 1);
}
