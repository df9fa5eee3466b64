/* A thread that hands its own handle to somebody who joins it, perhaps before its creator knows that it exists. */
#include <semaphore.h>

#include "pair.h"

static int x;
static pthread_t handle;
static sem_t known;

static void *worker(void *unused)
{
    handle = pthread_self();
    sem_post(&known);
    x = 1;
    return unused;
}

static void *joiner(void *bad)
{
    sem_wait(&known);
    pthread_join(handle, NULL);
    *(int *)bad = x != 1;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t a, b;
        int bad;
        x = 0;
        sem_init(&known, 0, 0);
        pthread_create(&b, NULL, joiner, &bad);
        pthread_create(&a, NULL, worker, NULL);
        pthread_join(b, NULL);
        if (bad)
            return 1;
    }
    return 0;
}
