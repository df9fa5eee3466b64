/* pthread_rwlock_clockrdlock and pthread_rwlock_clockwrlock order nothing when they run out of time. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "pair.h"

int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_wrlock(&l);
    unseen_signal(1);
    unseen_wait(2);
    pthread_rwlock_unlock(&l);
    return unused;
}

static void *second(void *unused)
{
    struct timespec until = {0, 0};
    unseen_wait(1);
    if (pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &until) == ETIMEDOUT &&
        pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
        x = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
