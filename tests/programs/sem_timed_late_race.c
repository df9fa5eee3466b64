/* sem_timedwait and sem_clockwait that run out of time order nothing. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

#include "pair.h"

int x;
static sem_t s;

static void *first(void *unused)
{
    x = 1;
    sem_post(&s);
    sem_wait(&s);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    struct timespec past = {0, 0};
    unseen_wait(1);
    if (sem_timedwait(&s, &past) != 0 && sem_clockwait(&s, CLOCK_MONOTONIC, &past) != 0)
        x = 2;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return 0;
}
