/* Both threads write before the barrier. */
#include "pair.h"

int x;
static pthread_barrier_t b;

static void *first(void *unused)
{
    x = 1;
    unseen_signal(1);
    pthread_barrier_wait(&b);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    x = 2;
    pthread_barrier_wait(&b);
    return unused;
}

int main(void)
{
    pthread_barrier_init(&b, NULL, 2);
    pair(first, second);
    return 0;
}
