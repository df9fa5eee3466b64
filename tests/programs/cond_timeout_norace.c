/* A wait that runs out of time has the mutex again, as any wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "pair.h"

int x, bad;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    struct timespec past = {0, 0};
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&m);
        x++;
        bad |= pthread_cond_timedwait(&c, &m, &past) != ETIMEDOUT;
        x++;
        bad |= pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) != ETIMEDOUT;
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return bad || x != 800;
}
