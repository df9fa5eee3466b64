/* Two threads that access the same at the same time, again and again: whoever reports a race comes as soon after the
 * other's access as can be. The detector does not see them meet; a lock of their own gives each a new epoch. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../programs/unseen.h"

#ifndef TYPE
#define TYPE int
#endif
static TYPE shared[4096];
static int rounds;

/* Without rest: both leave at once. */
UNSEEN void meet(int count)
{
    __asm__ volatile("lock incl %0" : "+m"(unseen_step) : : "memory");
    while (unseen_now() < count)
        __asm__ volatile("pause");
}

static void *count(void *lock)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
        meet(2 * i + 2);
        shared[i]++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    pthread_t other;
    pthread_create(&other, NULL, count, &own[0]);
    count(&own[1]);
    pthread_join(other, NULL);
    return 0;
}
