/* Records of short strings: compared, searched, measured and copied by libc. */
enum { STRING = 8 + 4 * STRIDE, RECORD = 4 * STRING };

struct thing {
    uint32_t count;
    char *text;
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    t->count = (uint32_t)(bytes / RECORD) + 2;
    t->text = program_memory(t->count, RECORD);
    for (size_t i = 0; i < (size_t)t->count * 4; i++)
        snprintf(t->text + i * STRING, STRING, "k%0*u", STRING - 4, below(state, 100));
    return t;
}

static void thing_free(struct thing *t)
{
    free(t->text);
    free(t);
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= 2 * STRING) {
        char *a = t->text + (size_t)below(state, t->count) * RECORD,
             *b = t->text + (size_t)below(state, t->count) * RECORD;
        sink +=
            (uint64_t)(strcmp(a, b + STRING) > 0) + strlen(a + 2 * STRING) + (memchr(b, '7', STRING) != NULL);
    }
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= 2 * STRING) {
        char *a = t->text + (size_t)below(state, t->count) * RECORD,
             *b = t->text + (size_t)below(state, t->count) * RECORD;
        strcpy(a, b + STRING);
        memcpy(b + 2 * STRING, a, STRING);
    }
}
