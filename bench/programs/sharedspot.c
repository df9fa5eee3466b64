/* SharedSpot (004): arithmetic on integers, each of which has a lock of its own; every thread updates any of
 * them. SIZE is the number of updates. */
#include "program.h"

enum { SPOTS = 1024 };

struct spot {
    pthread_mutex_t lock;
    uint64_t value;
};

static struct spot *spots;
static uint64_t *added; /* by each thread, to all spots together */

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    uint64_t sum = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t random = random_next(&seed);
        struct spot *spot = &spots[random % SPOTS];
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
    program_begin(argc, argv, 2000000);
    spots = program_memory(SPOTS, sizeof *spots);
    added = program_memory(threads, sizeof *added);
    for (unsigned i = 0; i < SPOTS; i++)
        pthread_mutex_init(&spots[i].lock, NULL);
    program_run(work);
    uint64_t sum = 0, expected = 0;
    for (unsigned i = 0; i < SPOTS; i++)
        sum += spots[i].value;
    for (unsigned i = 0; i < threads; i++)
        expected += added[i];
    return program_end("the sum of all integers", sum, expected);
}
