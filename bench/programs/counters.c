/* Atomic counters: relaxed and acquiring-releasing additions, a maximum by compare-and-exchange, and a value
 * that is released by stores and acquired by loads. */
#include <stdatomic.h>

#include "program.h"

enum { COUNTERS = 16 };

static struct {
    atomic_uint_fast64_t value;
    char padding[56];
} counter[COUNTERS];
static atomic_uint_fast64_t all, maximum, latest;

static void raise_maximum(uint64_t to)
{
    uint64_t seen = atomic_load_explicit(&maximum, memory_order_relaxed);
    while (seen < to && !atomic_compare_exchange_weak(&maximum, &seen, to)) {
    }
}

static void work(unsigned me)
{
    uint64_t acquired = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        atomic_fetch_add_explicit(&counter[i % COUNTERS].value, 1, memory_order_relaxed);
        acquired += atomic_load_explicit(&latest, memory_order_acquire) < size;
        if (i % 4 == 0)
            atomic_fetch_add_explicit(&all, 4, memory_order_acq_rel);
        if (i % 8 == 0)
            raise_maximum(i);
        if (i % 16 == 0)
            atomic_store_explicit(&latest, i, memory_order_release);
    }
    if (acquired != share(size, me + 1) - share(size, me))
        exit(1);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 1 << 21);
    size &= ~(size_t)(16 * threads - 1); /* of which every share is a multiple of 16 */
    program_run(work);
    uint64_t sum = 0;
    for (unsigned i = 0; i < COUNTERS; i++)
        sum += counter[i].value;
    return program_end("the sum of all counters", sum + all + maximum, 3 * (uint64_t)size - 8);
}
