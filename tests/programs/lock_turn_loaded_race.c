/* What a thread does after it has unlocked a mutex is not ordered before whoever loads the mutex's memory with acquire,
 * however often that has loaded it before. */
#include "threads_together.h"
#include "unseen.h"

int data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(locker)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    unseen_signal(1);
    unseen_wait(2);
    data = 1;
    unseen_signal(3);
    return NULL;
}

THREAD(looker)
{
    unseen_wait(1);
    int seen = __atomic_load_n((int *)&lock, __ATOMIC_ACQUIRE);
    seen += __atomic_load_n((int *)&lock, __ATOMIC_ACQUIRE);
    unseen_signal(2);
    unseen_wait(3);
    seen += __atomic_load_n((int *)&lock, __ATOMIC_ACQUIRE);
    data = 2 + seen;
    return NULL;
}

int main(void)
{
    run(locker, looker);
    return 0;
}
