/* Hash table with striped locks: two of three operations look a key up, the third adds 1 to its value or puts
 * it in. */
#include "program.h"

enum { BUCKETS = 1 << 14, STRIPES = 64, KEYS = 1 << 15 };

struct entry {
    uint32_t key;
    uint32_t value;
    struct entry *next;
};

static struct entry *bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];
static uint64_t *added;

static struct entry *find(uint32_t key)
{
    struct entry *e = bucket[key % BUCKETS];
    while (e != NULL && e->key != key)
        e = e->next;
    return e;
}

static void add(uint32_t key)
{
    struct entry *e = find(key);
    if (e == NULL) {
        e = program_memory(1, sizeof *e);
        e->key = key;
        e->next = bucket[key % BUCKETS];
        bucket[key % BUCKETS] = e;
    }
    e->value++;
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    uint64_t adds = 0, hits = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t key = (random_next(&seed) >> 4) % KEYS;
        pthread_mutex_t *lock = &stripe[key % STRIPES];
        pthread_mutex_lock(lock);
        if (i % 3 == 0) {
            add(key);
            adds++;
        } else {
            const struct entry *e = find(key);
            hits += e != NULL && e->value > 0;
        }
        pthread_mutex_unlock(lock);
    }
    added[me] = adds + 0 * hits;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 600000);
    added = program_memory(threads, sizeof *added);
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripe[i], NULL);
    program_run(work);
    uint64_t sum = 0, expected = 0;
    for (unsigned i = 0; i < threads; i++)
        expected += added[i];
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct entry *e = bucket[i]; e != NULL; e = e->next)
            sum += e->value;
    return program_end("the sum of all values", sum, expected);
}
