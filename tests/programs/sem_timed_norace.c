/* sem_timedwait and sem_clockwait, in time. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

#include "pair.h"

int x, y, seen;
static sem_t s;
static sem_t r;

static struct timespec later(clockid_t clock)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += 3600;
    return until;
}

static void *first(void *unused)
{
    x = 1;
    sem_post(&s);
    y = 1;
    sem_post(&r);
    return unused;
}

static void *second(void *unused)
{
    struct timespec until = later(CLOCK_REALTIME), monotonic = later(CLOCK_MONOTONIC);
    if (sem_timedwait(&s, &until) == 0)
        seen += x;
    if (sem_clockwait(&r, CLOCK_MONOTONIC, &monotonic) == 0)
        seen += y;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    sem_init(&r, 0, 0);
    pair(first, second);
    return seen != 2;
}
