/* LocalSpot (004): arithmetic on integers, each of which has a lock of its own and belongs to one thread: of
 * every THREADS neighbours, each thread has one. SIZE is the number of updates. */
#include "program.h"

enum { SPOTS = 1024 };

struct spot {
    pthread_mutex_t lock;
    uint64_t value;
};

static struct spot *spots;
static uint64_t *added; /* by each thread, to all its spots together */

static void work(unsigned me)
{
    uint32_t seed = me + 1, own = SPOTS / threads;
    uint64_t sum = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t random = random_next(&seed);
        struct spot *spot = &spots[random % own * threads + me];
        uint64_t amount = random >> 16;
        pthread_mutex_lock(&spot->lock);
        if (random >> 10 & 1)
            spot->value += 2 * amount;
        else
            spot->value -= amount;
        pthread_mutex_unlock(&spot->lock);
        sum += random >> 10 & 1 ? 2 * amount : -amount;
    }
    added[me] = sum;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 3000000);
    spots = program_memory(SPOTS, sizeof *spots);
    added = program_memory(threads, sizeof *added);
    for (unsigned i = 0; i < SPOTS; i++)
        pthread_mutex_init(&spots[i].lock, NULL);
    program_run(work);
    uint64_t right = 0;
    for (unsigned me = 0; me < threads; me++) {
        uint64_t sum = 0;
        for (unsigned i = me; i < SPOTS; i += threads)
            sum += spots[i].value;
        right += sum == added[me];
    }
    return program_end("threads whose integers are right", right, threads);
}
