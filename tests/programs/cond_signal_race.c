/* A signal alone orders nothing: only the mutex does. */
#include "pair.h"

int x, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    unseen_signal(1);
    pthread_cond_wait(&c, &m);
    seen = x;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_lock(&m); /* the other one waits now */
    pthread_mutex_unlock(&m);
    x = 1;
    pthread_cond_signal(&c);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
