/* A mutex is destroyed, unordered, after another thread has tried to lock it in vain. */
#include "pair.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int failed;

static void *first(void *unused)
{
    failed = pthread_mutex_trylock(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return unused;
}

int main(void)
{
    pthread_mutex_lock(&m);
    pair(first, second);
    return 0;
}
