/* Dynamic values: a tag, a few bytes, numbers of several sizes, and a link to another. */
struct value {
    uint8_t tag, flags, length, text[5];
    union {
        double number;
        uint32_t pair[2];
    } of;
    uint16_t count;
    struct value *next;
};

struct thing {
    uint32_t count;
    struct value *value;
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    t->count = (uint32_t)(bytes / sizeof(struct value)) + 2;
    t->value = program_memory(t->count, sizeof(struct value));
    for (uint32_t i = 0; i < t->count; i++) {
        t->value[i].tag = (uint8_t)below(state, 4);
        t->value[i].length = (uint8_t)below(state, 5);
        t->value[i].next = &t->value[SHUFFLED ? below(state, t->count) : (i + STRIDE) % t->count];
    }
    return t;
}

static void thing_free(struct thing *t)
{
    free(t->value);
    free(t);
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    const struct value *v = &t->value[below(state, t->count)];
    for (int left = LENGTH; left > 0; left -= 6, v = v->next)
        switch (v->tag) {
        case 0:
            sink += (uint64_t)v->of.number;
            break;
        case 1:
            sink += v->of.pair[0] + v->of.pair[1] + v->flags;
            break;
        default:
            for (unsigned i = 0; i < v->length; i++)
                sink += v->text[i];
        }
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    struct value *v = &t->value[below(state, t->count)];
    for (int left = LENGTH; left > 0; left -= 7, v = v->next) {
        v->count++;
        v->tag = (uint8_t)((v->tag + 1) & 3);
        if (v->tag == 0)
            v->of.number = v->count;
        else if (v->tag == 1)
            v->of.pair[v->count & 1] = v->count;
        else
            for (unsigned i = 0; i < v->length; i++)
                v->text[i] = (uint8_t)(v->count + i);
    }
}
