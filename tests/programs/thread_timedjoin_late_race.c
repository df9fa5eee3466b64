/* A timed join that runs out of time orders nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "pair.h"

int x;

static void *writer(void *unused)
{
    x = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

int main(void)
{
    pthread_t t;
    struct timespec past = {0, 0};
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(1);
    if (pthread_timedjoin_np(t, NULL, &past) != ETIMEDOUT ||
        pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &past) != ETIMEDOUT)
        return 1;
    x = 2;
    unseen_signal(2);
    pthread_join(t, NULL);
    return 0;
}
