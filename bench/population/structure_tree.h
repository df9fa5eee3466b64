/* A search tree of nodes from malloc: lookups and recursive sums, changes of values. */
struct node {
    uint32_t key;
    ELEMENT value;
    struct node *left, *right;
};

struct thing {
    size_t count;
    struct node *root;
};

static struct node *grow(uint32_t from, uint32_t to)
{
    if (from >= to)
        return NULL;
    struct node *n = program_memory(1, sizeof *n);
    n->key = from + (to - from) / 2;
    n->left = grow(from, n->key);
    n->right = grow(n->key + 1, to);
    return n;
}

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    (void)state;
    t->count = bytes / 48 + 3;
    t->root = grow(0, (uint32_t)t->count);
    return t;
}

static void cut(struct node *n)
{
    if (n == NULL)
        return;
    cut(n->left);
    cut(n->right);
    free(n);
}

static void thing_free(struct thing *t)
{
    cut(t->root);
    free(t);
}

static struct node *find(struct node *n, uint32_t key)
{
    while (n->key != key) {
        struct node *next = key < n->key ? n->left : n->right;
        if (next == NULL)
            break;
        n = next;
    }
    return n;
}

static __attribute__((noinline)) uint64_t sum_of(const struct node *n, int *left)
{
    if (n == NULL || *left <= 0)
        return 0;
    *left -= 3;
    return (uint64_t)n->value + sum_of(n->left, left) + sum_of(n->right, left);
}

enum { LOOKUP = 25 }; /* accesses, about */

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    int left = LENGTH;
    if (SHUFFLED) {
        for (; left > 0; left -= LOOKUP)
            sink += (uint64_t)find(t->root, below(state, (uint32_t)t->count))->value;
    } else {
        sink += sum_of(find(t->root, below(state, (uint32_t)t->count)), &left);
        while (left > 0)
            sink += sum_of(t->root, &left);
    }
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= LOOKUP)
        find(t->root, below(state, (uint32_t)t->count))->value++;
}
