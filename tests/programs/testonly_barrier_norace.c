/* TSan's barrier for tests: has room in 4 bytes, and in 8; holds threads back round after round; orders nothing. */
#include <stdint.h>

#include "must.h"
#include "threads_together.h"
#include "unseen.h"

void __tsan_testonly_barrier_init(void *barrier, unsigned threads);
void __tsan_testonly_barrier_wait(void *barrier);

enum { THREADS = 3, ROUNDS = 5000 };

static struct {
    unsigned before, barrier, after;
} small = {0x11111111, 0, 0x22222222};
static unsigned long long large;

THREAD(turns)
{
    for (int round = 1; round <= ROUNDS; round++) {
        __asm__ volatile("lock incl %0" : "+m"(unseen_step) : : "memory");
        __tsan_testonly_barrier_wait(&small.barrier);
        if (unseen_now() < round * THREADS)
            abort();
        __tsan_testonly_barrier_wait(&large); /* nobody goes on before all have looked */
        if (unseen_now() > (round + 1) * THREADS)
            abort();
    }
    return NULL;
}

int main(void)
{
    __tsan_testonly_barrier_init(&small.barrier, THREADS);
    __tsan_testonly_barrier_init(&large, THREADS);
    run(turns, turns, turns);
    must(small.before == 0x11111111 && small.after == 0x22222222);
    return 0;
}
