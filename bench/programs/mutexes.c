/* Mutexes: SIZE of them, each with a counter; every thread takes one after the other in random order. The
 * number of turns is the same whatever the size. For the plots of bench/live --scaling. */
#include "program.h"

enum { TURNS = 1 << 20 };

struct counter {
    pthread_mutex_t lock;
    uint64_t value;
};

static struct counter *counter;
static size_t counters;

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    for (size_t i = share(TURNS, me); i < share(TURNS, me + 1); i++) {
        struct counter *c = &counter[random_next(&seed) % counters];
        pthread_mutex_lock(&c->lock);
        c->value++;
        pthread_mutex_unlock(&c->lock);
    }
}

int main(int argc, char **argv)
{
    counters = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    program_begin(argc > 2 ? 2 : argc, argv, TURNS);
    counter = program_memory(counters, sizeof *counter);
    for (size_t i = 0; i < counters; i++)
        pthread_mutex_init(&counter[i].lock, NULL);
    program_run(work);
    uint64_t sum = 0;
    for (size_t i = 0; i < counters; i++)
        sum += counter[i].value;
    return program_end("the sum of all counters", sum, TURNS);
}
