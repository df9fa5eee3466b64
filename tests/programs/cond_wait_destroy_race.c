/* A condition variable is destroyed, unordered, after another thread has waited for it in vain. */
#include <time.h>

#include "pair.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    const struct timespec long_ago = {.tv_sec = 1};
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &long_ago);
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_cond_destroy(&c);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
