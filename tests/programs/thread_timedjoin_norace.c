/* pthread_timedjoin_np and pthread_clockjoin_np in time are joins. */
#define _GNU_SOURCE
#include <time.h>

#include "pair.h"

static int x, y;

static void *write_x(void *unused)
{
    x = 1;
    return unused;
}

static void *write_y(void *unused)
{
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    struct timespec until;
    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    if (pthread_timedjoin_np(a, NULL, &until) != 0)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 3600;
    if (pthread_clockjoin_np(b, NULL, CLOCK_MONOTONIC, &until) != 0)
        return 1;
    return x + y != 2;
}
