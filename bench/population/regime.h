/* What regimes share: instances, and one operation on one of them. */
static struct thing *instance[64];

static void make_instances(unsigned count)
{
    uint32_t state = 12345;
    for (unsigned i = 0; i < count; i++)
        instance[i] = thing_make((size_t)BYTES / count, &state);
}

static inline void free_instances(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        thing_free(instance[i]);
}

static bool writes(uint32_t *state)
{
    return below(state, 16) < WRITES;
}

static inline void operate(struct thing *t, uint32_t *state)
{
    if (writes(state))
        thing_write(t, state);
    else
        thing_read(t, state);
}

static void begin(int argc, char **argv)
{
    program_begin(argc, argv, BUDGET);
    threads = THREADS;
}
