/* pthread_cond_timedwait and pthread_cond_clockwait, in time. */
#define _GNU_SOURCE
#include <time.h>

#include "pair.h"

int x, ready, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static struct timespec later(clockid_t clock)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += 3600;
    return until;
}

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    struct timespec until = later(CLOCK_REALTIME), monotonic = later(CLOCK_MONOTONIC);
    pthread_mutex_lock(&m);
    for (int i = 0; !ready; i++)
        if (i % 2 == 0)
            pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &monotonic);
        else
            pthread_cond_timedwait(&c, &m, &until);
    pthread_mutex_unlock(&m);
    seen = x;
    return unused;
}

int main(void)
{
    pair(first, second);
    return seen != 1;
}
