/* TSan's barrier for tests has two threads meet, and orders nothing between them. */
#include "threads_together.h"

void __tsan_testonly_barrier_init(unsigned *barrier, unsigned threads);
void __tsan_testonly_barrier_wait(unsigned *barrier);

static unsigned barrier;
int data;

THREAD(first)
{
    data = 1;
    __tsan_testonly_barrier_wait(&barrier);
    return NULL;
}

THREAD(second)
{
    __tsan_testonly_barrier_wait(&barrier);
    data = 2;
    return NULL;
}

int main(void)
{
    __tsan_testonly_barrier_init(&barrier, 2);
    run(first, second);
    return 0;
}
