/* An array, walked with a stride or in a random order. */
struct thing {
    size_t count;
    ELEMENT element[];
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    size_t count = bytes / sizeof(ELEMENT) + 16;
    struct thing *t = program_memory(1, sizeof *t + count * sizeof(ELEMENT));
    t->count = count;
    for (size_t i = 0; i < count; i++)
        t->element[i] = (ELEMENT)random_next(state);
    return t;
}

static void thing_free(struct thing *t)
{
    free(t);
}

static size_t next(const struct thing *t, size_t at, uint32_t *state)
{
    at = SHUFFLED ? below(state, (uint32_t)t->count) : at + STRIDE;
    return at < t->count ? at : at % t->count;
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    size_t at = below(state, (uint32_t)t->count);
    uint64_t sum = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        sum += (uint64_t)t->element[at];
        at = next(t, at, state);
    }
    sink += sum;
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    size_t at = below(state, (uint32_t)t->count);
    for (unsigned i = 0; i < LENGTH; i += 2) {
        t->element[at] = (ELEMENT)(t->element[at] + 1);
        at = next(t, at, state);
    }
}
