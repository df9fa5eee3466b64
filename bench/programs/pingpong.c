/* Mutex ping-pong: threads in a ring, a mutex and a counter between any two neighbours; each thread takes the
 * two in turn. */
#include "program.h"

static struct {
    pthread_mutex_t lock;
    uint64_t count;
} between[MOST_THREADS];

static void work(unsigned me)
{
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        unsigned which = (unsigned)((me + i % 2) % threads);
        pthread_mutex_lock(&between[which].lock);
        between[which].count++;
        pthread_mutex_unlock(&between[which].lock);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 1 << 20);
    for (unsigned i = 0; i < threads; i++)
        pthread_mutex_init(&between[i].lock, NULL);
    program_run(work);
    uint64_t sum = 0;
    for (unsigned i = 0; i < threads; i++)
        sum += between[i].count;
    return program_end("the sum of all counts", sum, size);
}
