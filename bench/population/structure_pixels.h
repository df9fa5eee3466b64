/* Streams of bytes: pixels of three bytes, and a histogram of bytes. */
struct thing {
    size_t pixels;
    uint8_t *from, *to;
    uint32_t seen[256];
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    t->pixels = bytes / 6 + 1;
    t->from = program_memory(t->pixels, 3);
    t->to = program_memory(t->pixels, 3);
    for (size_t i = 0; i < 3 * t->pixels; i++)
        t->from[i] = (uint8_t)below(state, 256);
    return t;
}

static void thing_free(struct thing *t)
{
    free(t->from);
    free(t->to);
    free(t);
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    size_t at = below(state, (uint32_t)t->pixels);
    uint64_t grey = 0;
    for (int left = LENGTH; left > 0; left -= 3) {
        const uint8_t *p = &t->from[3 * at];
        grey += (p[0] * 77u + p[1] * 150u + p[2] * 29u) >> 8;
        at = at + STRIDE < t->pixels ? at + STRIDE : 0;
    }
    sink += grey;
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    size_t at = below(state, (uint32_t)t->pixels);
    for (int left = LENGTH; left > 0; left -= 8) {
        const uint8_t *p = &t->from[3 * at];
        uint8_t *q = &t->to[3 * at];
        q[0] = p[2];
        q[1] = p[1];
        q[2] = p[0];
        if (SHUFFLED)
            t->seen[p[1]]++;
        at = at + STRIDE < t->pixels ? at + STRIDE : 0;
    }
}
