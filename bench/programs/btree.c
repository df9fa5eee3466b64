/* B-tree under a reader-writer lock: of eight operations seven look a key up, the eighth puts one in. A key
 * is in the tree once. SIZE is the number of operations. */
#include "program.h"

enum { MOST_KEYS = 31, KEYS = 1 << 16 }; /* a node has at least MOST_KEYS / 2 keys, except for the root */

/* Keys in ascending order; child[i] has what is less than key[i] and, for i > 0, greater than key[i - 1]. */
struct node {
    unsigned keys;
    bool leaf;
    uint32_t key[MOST_KEYS];
    uint32_t value[MOST_KEYS];
    struct node *child[MOST_KEYS + 1];
};

static struct node *root;
static size_t entries;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct tally {
    uint64_t inserted, sum, wrong;
} * tally;

static uint32_t value_of(uint32_t key)
{
    return key * 2654435761u | 1;
}

static struct node *new_node(bool leaf)
{
    struct node *node = program_memory(1, sizeof *node);
    node->leaf = leaf;
    return node;
}

/* The first place whose key is not less. */
static unsigned place_of(const struct node *node, uint32_t key)
{
    unsigned low = 0, high = node->keys;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (node->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The key's value, or 0 if it is not there. */
static uint32_t find(const struct node *node, uint32_t key)
{
    for (;;) {
        unsigned at = place_of(node, key);
        if (at < node->keys && node->key[at] == key)
            return node->value[at];
        if (node->leaf)
            return 0;
        node = node->child[at];
    }
}

static void put_at(struct node *node, unsigned at, uint32_t key, uint32_t value)
{
    for (unsigned i = node->keys; i > at; i--) {
        node->key[i] = node->key[i - 1];
        node->value[i] = node->value[i - 1];
    }
    node->key[at] = key;
    node->value[at] = value;
    node->keys++;
}

/* Splits the full child in two; its middle key goes up into the parent, which is not full. */
static void split_child(struct node *parent, unsigned at)
{
    enum { MIDDLE = MOST_KEYS / 2 };
    struct node *left = parent->child[at], *right = new_node(left->leaf);
    for (unsigned i = MIDDLE + 1; i < MOST_KEYS; i++) {
        right->key[right->keys] = left->key[i];
        right->value[right->keys++] = left->value[i];
    }
    if (!left->leaf)
        for (unsigned i = MIDDLE + 1; i <= MOST_KEYS; i++)
            right->child[i - MIDDLE - 1] = left->child[i];
    left->keys = MIDDLE;
    for (unsigned i = parent->keys + 1; i > at + 1; i--)
        parent->child[i] = parent->child[i - 1];
    parent->child[at + 1] = right;
    put_at(parent, at, left->key[MIDDLE], left->value[MIDDLE]);
}

static void grow_root(void)
{
    struct node *old = root;
    root = new_node(false);
    root->child[0] = old;
    split_child(root, 0);
}

/* False if the key is there already. Full nodes are split on the way down, so that there is room above. */
static bool insert(uint32_t key, uint32_t value)
{
    if (root->keys == MOST_KEYS)
        grow_root();
    for (struct node *node = root;;) {
        unsigned at = place_of(node, key);
        if (at < node->keys && node->key[at] == key)
            return false;
        if (node->leaf) {
            put_at(node, at, key, value);
            entries++;
            return true;
        }
        if (node->child[at]->keys == MOST_KEYS)
            split_child(node, at);
        else
            node = node->child[at];
    }
}

static void work(unsigned me)
{
    uint32_t seed = me + 1, last = 0; /* last: put in by this thread */
    struct tally mine = {0};
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t key = (random_next(&seed) >> 4) % KEYS + 1;
        if (i % 8 == 0) {
            pthread_rwlock_wrlock(&lock);
            bool new = insert(key, value_of(key));
            pthread_rwlock_unlock(&lock);
            mine.inserted += new;
            mine.sum += new ? key : 0;
            last = key;
        } else {
            if (i % 8 == 1 && last != 0)
                key = last;
            pthread_rwlock_rdlock(&lock);
            uint32_t value = find(root, key);
            pthread_rwlock_unlock(&lock);
            mine.wrong += value != value_of(key) && (value != 0 || key == last);
        }
    }
    tally[me] = mine;
}

/* Counts what is in the tree below, in ascending order, and frees it; *last: the key before. */
static void count(struct node *node, uint32_t *last, struct tally *found)
{
    for (unsigned i = 0; i <= node->keys; i++) {
        if (!node->leaf)
            count(node->child[i], last, found);
        if (i < node->keys) {
            found->wrong += node->key[i] <= *last || node->value[i] != value_of(node->key[i]);
            found->inserted++;
            found->sum += node->key[i];
            *last = node->key[i];
        }
    }
    free(node);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 400000);
    tally = program_memory(threads, sizeof *tally);
    root = new_node(true);
    program_run(work);
    struct tally found = {0}, expected = {0};
    for (unsigned i = 0; i < threads; i++) {
        expected.inserted += tally[i].inserted;
        expected.sum += tally[i].sum;
        expected.wrong += tally[i].wrong;
    }
    uint32_t last = 0;
    count(root, &last, &found);
    return program_end("the number of keys", found.inserted, expected.inserted) |
           program_end("the number of entries", entries, expected.inserted) |
           program_end("the sum of all keys", found.sum, expected.sum) |
           program_end("keys that are wrong", found.wrong + expected.wrong, 0);
}
