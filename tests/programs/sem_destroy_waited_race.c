/* A semaphore is destroyed by who posts it: the other thread may not have returned from its wait yet. */
#include <semaphore.h>

#include "pair.h"

static sem_t s;

static void *first(void *unused)
{
    sem_wait(&s);
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
    sem_init(&s, 0, 1);
    pair(first, second);
    return 0;
}
