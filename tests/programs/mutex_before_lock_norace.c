/* What comes before the lock is passed on by the unlock. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    x = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
