/* A barrier is destroyed by a thread that has not waited at it, unordered after one that has. */
#include "pair.h"

static pthread_barrier_t b;

static void *first(void *unused)
{
    pthread_barrier_wait(&b);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_barrier_destroy(&b);
    return unused;
}

int main(void)
{
    pthread_barrier_init(&b, NULL, 1);
    pair(first, second);
    return 0;
}
