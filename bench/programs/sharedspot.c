/* SharedSpot (004): every thread updates any of the integers. SIZE is the number of updates. */
#include "spots.h"

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    uint64_t sum = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t random = random_next(&seed);
        sum += spot_update(&spots[random % SPOTS], random);
    }
    added[me] = sum;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 2000000);
    spots_begin();
    program_run(work);
    uint64_t sum = 0, expected = 0;
    for (unsigned i = 0; i < SPOTS; i++)
        sum += spots[i].value;
    for (unsigned i = 0; i < threads; i++)
        expected += added[i];
    return program_end("the sum of all integers", sum, expected);
}
