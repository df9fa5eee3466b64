/* A wait without holding its error-checking mutex fails, and leaves the mutex as it is. */
#define _GNU_SOURCE
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    for (int i = 0; i < 200; i++) {
        if (pthread_cond_wait(&c, &m) != EPERM || pthread_mutex_unlock(&m) != EPERM)
            return &x;
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(worker, worker);
    return x != 400;
}
