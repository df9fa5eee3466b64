/* Threads that are detached, by others and by themselves, and hand over what they did with a semaphore. */
#include <semaphore.h>

#include "pair.h"

enum { THREADS = 20 };

static int x[THREADS];
static sem_t done;

static void *writer(void *slot)
{
    *(int *)slot = 1;
    if ((int *)slot - x >= THREADS / 2)
        pthread_detach(pthread_self());
    sem_post(&done);
    return NULL;
}

int main(void)
{
    sem_init(&done, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, writer, &x[i]);
        if (i < THREADS / 2)
            pthread_detach(t);
        sem_wait(&done);
    }
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += x[i];
    return sum != THREADS;
}
