/* A mutex is destroyed while another thread is about to lock it. */
#include "pair.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int locked;

static void *first(void *unused)
{
    pthread_mutex_destroy(&m);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    locked = pthread_mutex_trylock(&m);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
