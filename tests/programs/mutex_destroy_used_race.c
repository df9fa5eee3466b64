/* A mutex is destroyed, unordered, after another thread has used it. */
#include "pair.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_destroy(&m);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
