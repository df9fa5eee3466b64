/* Byte histogram: each thread fills a slice with bytes, and counts the bytes of another one's; counts are
 * added up under a lock. */
#include "program.h"

enum { SLICE = 4096 };

static uint8_t *bytes;
static uint64_t total[256], filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void fill(size_t from, size_t to, uint32_t seed)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++) {
        bytes[i] = (uint8_t)(random_next(&seed) >> 7);
        sum += bytes[i];
    }
    pthread_mutex_lock(&lock);
    filled += sum;
    pthread_mutex_unlock(&lock);
}

static void count(size_t from, size_t to)
{
    uint32_t seen[256] = {0};
    for (size_t i = from; i < to; i++)
        seen[bytes[i]]++;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < 256; i++)
        total[i] += seen[i];
    pthread_mutex_unlock(&lock);
}

static void work(unsigned me)
{
    unsigned other = (me + 1) % threads;
    fill(share(size, me), share(size, me + 1), me + 1);
    pthread_barrier_wait(&barrier);
    size_t to = share(size, other + 1);
    for (size_t from = share(size, other); from < to; from += SLICE)
        count(from, from + SLICE < to ? from + SLICE : to);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 8 << 20);
    bytes = program_memory(size, 1);
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 256; i++)
        sum += i * total[i];
    return program_end("the sum of all bytes", sum, filled);
}
