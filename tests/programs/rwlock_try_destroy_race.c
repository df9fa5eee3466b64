/* A read-write lock is destroyed, unordered, after another thread has tried to lock it in vain. */
#include "pair.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int failed;

static void *first(void *unused)
{
    failed = pthread_rwlock_trywrlock(&l);
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
    pthread_rwlock_rdlock(&l);
    pair(first, second);
    return 0;
}
