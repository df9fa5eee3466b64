/* 2,000 threads at a time, each with accesses that the others do not know of and some that they do. */
#include <pthread.h>

#include "unseen.h"

enum { THREADS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared, own[THREADS];

static void *work(void *argument)
{
    int *mine = argument;
    *mine = 1;
    unseen_barrier(THREADS);
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    *mine += 1;
    return NULL;
}

int main(void)
{
    static pthread_t thread[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], &attributes, work, &own[i]) != 0)
            return 2;
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += own[i];
    }
    return sum == 2 * THREADS && shared == THREADS ? 0 : 2;
}
