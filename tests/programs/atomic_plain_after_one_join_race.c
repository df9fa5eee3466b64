/* A plain read of a counter that one of two threads may still be incrementing. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static int counter;

THREAD(count)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    return NULL;
}

THREAD(count_and_tell)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    unseen_signal(1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&two, NULL, count_and_tell, NULL);
    pthread_join(one, NULL);
    unseen_wait(1);
    volatile int seen = counter;
    (void)seen;
    pthread_join(two, NULL);
    return 0;
}
