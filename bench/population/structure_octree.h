/* A tree with eight children a node and a lock in each node: the way down takes them one after the other. */
struct node {
    pthread_mutex_t lock;
    double mass;
    uint32_t bodies;
    struct node *child[8];
};

struct thing {
    struct node *root;
};

static struct node *grow(size_t *nodes, unsigned depth)
{
    struct node *n = program_memory(1, sizeof *n);
    pthread_mutex_init(&n->lock, NULL);
    for (unsigned i = 0; i < 8 && depth > 0 && *nodes > 0; i++) {
        --*nodes;
        n->child[i] = grow(nodes, depth - 1);
    }
    return n;
}

static struct thing *thing_make(size_t bytes, uint32_t *state)
{
    struct thing *t = program_memory(1, sizeof *t);
    size_t nodes = bytes / sizeof(struct node);
    unsigned depth = 1;
    (void)state;
    for (size_t level = 8; level < nodes; level *= 8)
        depth++;
    t->root = grow(&nodes, depth);
    return t;
}

static void cut(struct node *n)
{
    for (unsigned i = 0; i < 8; i++)
        if (n->child[i] != NULL)
            cut(n->child[i]);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

static void thing_free(struct thing *t)
{
    cut(t->root);
    free(t);
}

static __attribute__((noinline)) void walk(struct node *n, uint32_t *state, bool change)
{
    for (;;) {
        pthread_mutex_lock(&n->lock);
        if (change) {
            n->mass += 0.5;
            n->bodies++;
        } else {
            sink += n->bodies + (uint64_t)n->mass;
        }
        struct node *next = n->child[below(state, 8)];
        pthread_mutex_unlock(&n->lock);
        if (next == NULL)
            return;
        n = next;
    }
}

enum { WALK = 15 };

static __attribute__((noinline)) void thing_read(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= WALK)
        walk(t->root, state, false);
}

static __attribute__((noinline)) void thing_write(struct thing *t, uint32_t *state)
{
    for (int left = LENGTH; left > 0; left -= WALK)
        walk(t->root, state, true);
}
