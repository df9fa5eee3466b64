/* A read-write lock is destroyed while another thread is about to lock it. */
#include "pair.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int locked;

static void *first(void *unused)
{
    pthread_rwlock_destroy(&l);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    locked = pthread_rwlock_tryrdlock(&l);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
