/* One thread hands a value to another that waits for it. */
#include "pair.h"

int x, ready, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    seen = x;
    return unused;
}

int main(void)
{
    pair(first, second);
    return seen != 1;
}
