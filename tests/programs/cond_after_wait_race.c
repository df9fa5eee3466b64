/* After the wait has come back and the mutex is unlocked, nothing protects what is shared. */
#include "pair.h"

int x, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    unseen_wait(1);
    x = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
