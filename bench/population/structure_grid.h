/* A grid as rows of pointers: sweeps over a few rows, each point from its neighbours. */
struct thing {
    size_t rows, columns;
    double **row;
};

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    size_t points = bytes / sizeof(double), side = 8;
    while ((side + 1) * (side + 1) <= points)
        side++;
    t->rows = t->columns = side;
    t->row = program_memory(side, sizeof *t->row);
    for (size_t r = 0; r < side; r++) {
        t->row[r] = program_memory(side, sizeof(double));
        for (size_t c = 0; c < side; c++)
            t->row[r][c] = below(state, 1000);
    }
    return t;
}

static void thing_free(struct thing *t)
{
    for (size_t r = 0; r < t->rows; r++)
        free(t->row[r]);
    free(t->row);
    free(t);
}

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    double sum = 0;
    size_t r = 1 + below(state, (uint32_t)t->rows - 2), c = 1;
    for (unsigned i = 0; i < LENGTH; i += 5) {
        sum += t->row[r][c] + t->row[r - 1][c] + t->row[r + 1][c];
        if (++c == t->columns - 1) {
            c = 1;
            r = r + 2 < t->rows ? r + 1 : 1;
        }
    }
    sink += (uint64_t)sum;
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    size_t r = 1 + below(state, (uint32_t)t->rows - 2), c = 1;
    for (unsigned i = 0; i < LENGTH; i += 7) {
        t->row[r][c] = 0.25 * (t->row[r - 1][c] + t->row[r + 1][c] + t->row[r][c - 1] + t->row[r][c + 1]);
        if (++c == t->columns - 1) {
            c = 1;
            r = r + 2 < t->rows ? r + 1 : 1;
        }
    }
}
