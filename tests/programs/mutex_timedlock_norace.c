/* pthread_mutex_timedlock and pthread_mutex_clocklock are locks. */
#define _GNU_SOURCE
#include <time.h>

#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct timespec later(clockid_t clock)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += 3600;
    return until;
}

static void *first(void *unused)
{
    struct timespec until = later(CLOCK_REALTIME);
    for (int i = 0; i < 1000; i++) {
        if (pthread_mutex_timedlock(&m, &until) == 0)
            x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    struct timespec until = later(CLOCK_MONOTONIC);
    for (int i = 0; i < 1000; i++) {
        if (pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &until) == 0)
            x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 2000;
}
