/* A mutex that is unlocked where synchronization is ignored orders nothing: neither who locked it before whoever locks it
 * next, nor the other way round. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, other;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(first)
{
    unseen_wait(1);
    __atomic_store_n(&other, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&lock);
    AnnotateIgnoreSyncBegin(HERE);
    pthread_mutex_unlock(&lock);
    AnnotateIgnoreSyncEnd(HERE);
    unseen_signal(2);
    unseen_wait(3);
    data = 1;
    return NULL;
}

THREAD(second)
{
    unseen_signal(1);
    unseen_wait(2);
    pthread_mutex_lock(&lock);
    data = 2;
    pthread_mutex_unlock(&lock);
    unseen_signal(3);
    return NULL;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    run(first, second);
    return 0;
}
