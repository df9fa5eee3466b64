/* A read-write lock is destroyed, unordered, after another thread has read under it. */
#include "pair.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_rwlock_destroy(&l);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
