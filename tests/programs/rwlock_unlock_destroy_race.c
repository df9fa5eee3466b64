/* A read-write lock is destroyed by a thread that is ordered after its locking, and not after its unlocking. */
#include <semaphore.h>

#include "pair.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t locked;

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&l);
    sem_post(&locked);
    pthread_rwlock_unlock(&l);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    sem_wait(&locked);
    pthread_rwlock_destroy(&l);
    return unused;
}

int main(void)
{
    sem_init(&locked, 0, 0);
    pair(first, second);
    return 0;
}
