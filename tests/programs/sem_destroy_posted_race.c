/* A semaphore is destroyed, unordered, after another thread has posted it. */
#include <semaphore.h>

#include "pair.h"

static sem_t s;

static void *first(void *unused)
{
    sem_post(&s);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    sem_destroy(&s);
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return 0;
}
