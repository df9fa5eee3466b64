/* Each thread has its own mutex. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_lock(&n);
    x = 2;
    pthread_mutex_unlock(&n);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
