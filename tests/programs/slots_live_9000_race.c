/* 9,000 threads that wait (not busily: on a mutex), then a race. */
/* compiler: gcc */
#include <pthread.h>
#include <stdio.h>

#include "unseen.h"

enum { THREADS = 9000 };

int shared;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *argument)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return argument;
}

static void *write_first(void *argument)
{
    shared = 1;
    unseen_signal(1);
    return argument;
}

int main(void)
{
    static pthread_t thread[THREADS];
    pthread_t first;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_mutex_lock(&gate);
    int count = 0; /* where there is no memory for so many, fewer do */
    while (count < THREADS && pthread_create(&thread[count], &attributes, wait_at_gate, NULL) == 0)
        count++;
    if (count < THREADS)
        fprintf(stderr, "%d threads\n", count);
    if (count < 2 || pthread_create(&first, NULL, write_first, NULL) != 0)
        return 2;
    unseen_wait(1);
    shared = 2;
    pthread_mutex_unlock(&gate);
    pthread_join(first, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
