/* Who loads a mutex's memory atomically, with acquire, is ordered after whoever unlocked it: each time, also where
 * it has looked before, and the mutex has been locked and unlocked since by one thread alone. */
#include "threads_together.h"
#include "unseen.h"

enum { ROUNDS = 8, LOCKS = 5 };

int data[ROUNDS];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_and_unlock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

THREAD(locker)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < round % LOCKS; i++)
            lock_and_unlock();
        data[round] = 1;
        lock_and_unlock();
        unseen_signal(2 * round + 1);
        unseen_wait(2 * round + 2);
    }
    return NULL;
}

THREAD(looker)
{
    int seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unseen_wait(2 * round + 1);
        for (int i = 0; i <= round % 3; i++)
            seen += __atomic_load_n((int *)&lock, __ATOMIC_ACQUIRE);
        data[round] += seen + 1;
        unseen_signal(2 * round + 2);
    }
    return NULL;
}

int main(void)
{
    lock_and_unlock();
    run(locker, looker);
    return data[ROUNDS - 1] != 2;
}
