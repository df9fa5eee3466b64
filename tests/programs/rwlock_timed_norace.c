/* pthread_rwlock_timedrdlock and pthread_rwlock_timedwrlock are locks. */
#define _GNU_SOURCE
#include <time.h>

#include "pair.h"

int x, seen;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

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
        if (pthread_rwlock_timedwrlock(&l, &until) != 0)
            return &x;
        x++;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

static void *second(void *unused)
{
    struct timespec until = later(CLOCK_REALTIME);
    for (int i = 0; i < 1000; i++) {
        if (pthread_rwlock_timedrdlock(&l, &until) != 0)
            return &x;
        seen = x;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 1000;
}
