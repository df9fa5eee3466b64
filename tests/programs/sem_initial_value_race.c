/* A semaphore that lets both in orders neither. */
#include <semaphore.h>

#include "pair.h"

int x;
static sem_t s;

static void *first(void *unused)
{
    sem_wait(&s);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    sem_wait(&s);
    x = 2;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 2);
    pair(first, second);
    return 0;
}
