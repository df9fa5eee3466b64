/* Waiting gives up the mutex: what was done before the wait is known to the next one to lock. */
#include "pair.h"

int x, waiting, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&m);
        if (waiting)
            break;
        pthread_mutex_unlock(&m);
        unseen_yield();
    }
    x = 2;
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 2;
}
