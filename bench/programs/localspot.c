/* LocalSpot (004): each integer belongs to one thread; of every THREADS neighbours, each thread has one. SIZE is the number
 * of updates. */
#include "spots.h"

static void work(unsigned me)
{
    uint32_t seed = me + 1, own = SPOTS / threads;
    uint64_t sum = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t random = random_next(&seed);
        sum += spot_update(&spots[random % own * threads + me], random);
    }
    added[me] = sum;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 3000000);
    spots_begin();
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
