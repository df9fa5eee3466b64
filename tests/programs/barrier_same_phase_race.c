/* Both threads write after the barrier. */
#include "pair.h"

int x;
static pthread_barrier_t b;

static void *first(void *unused)
{
    pthread_barrier_wait(&b);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    pthread_barrier_wait(&b);
    unseen_wait(1);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_barrier_init(&b, NULL, 2);
    pair(first, second);
    return 0;
}
