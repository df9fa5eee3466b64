/* An unlock that fails, because another thread holds the mutex, passes nothing on. */
#define _GNU_SOURCE
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *first(void *unused)
{
    unseen_wait(1);
    x = 1;
    if (pthread_mutex_unlock(&m) == EPERM)
        unseen_signal(2);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&m);
    unseen_signal(1);
    unseen_wait(2);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
