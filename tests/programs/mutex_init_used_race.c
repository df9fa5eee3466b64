/* A mutex is made, locked and unlocked; another thread, which nothing orders after that, locks it. What the lock tells it
 * then comes too late. */
#include "pair.h"

static pthread_mutex_t m;

static void *first(void *unused)
{
    pthread_mutex_init(&m, NULL);
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
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
