/* pthread_mutex_trylock that fails orders nothing, also with what was released before. */
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    x = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    unseen_signal(1);
    unseen_wait(2);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (pthread_mutex_trylock(&m) == EBUSY)
        x = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
