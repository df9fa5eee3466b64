/* Among 2,000 threads that run at a time, the first and the last to start conflict, when all are there. */
#include <pthread.h>

#include "unseen.h"

enum { THREADS = 2000 };

int shared, own[THREADS];

static void *work(void *argument)
{
    int *mine = argument;
    *mine = 1;
    unseen_barrier(THREADS);
    if (mine == &own[0]) {
        shared = 1;
        unseen_signal(THREADS + 1);
    } else if (mine == &own[THREADS - 1]) {
        unseen_wait(THREADS + 1);
        shared = 2;
    }
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
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
