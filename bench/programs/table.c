/* Read-shared table: filled once, then read by all threads, one half in order and the other at random; after
 * each batch of reads the thread adds what it found to a total, under a lock. */
#include "program.h"

enum { ENTRIES = 1 << 16, BATCH = 4096 };

static uint64_t *value;
static uint64_t total, expected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(uint64_t difference)
{
    pthread_mutex_lock(&lock);
    total += difference;
    pthread_mutex_unlock(&lock);
}

/* Adds up what is read, less what should be there. */
static uint64_t in_order(size_t from)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < BATCH; i++)
        sum += value[(from + i) % ENTRIES] - (from + i) % ENTRIES;
    return sum;
}

static uint64_t at_random(uint32_t *seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < BATCH; i++) {
        uint32_t at = random_next(seed) % ENTRIES;
        sum += value[at] - at;
    }
    return sum;
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    for (size_t i = share(size, me); i < share(size, me + 1); i++)
        add(i % 2 == 0 ? in_order(i / 2 * BATCH) : at_random(&seed));
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 3000);
    value = program_memory(ENTRIES, sizeof *value);
    for (size_t i = 0; i < ENTRIES; i++)
        value[i] = i + 1;
    expected = size * BATCH;
    program_run(work);
    return program_end("the total", total, expected);
}
