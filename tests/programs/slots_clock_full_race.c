/* A write, then more releases than a clock has ticks (2^21): the thread counts elsewhere, and the write is not
 * forgotten. */
#include <pthread.h>

#include "unseen.h"

enum { RELEASES = (1 << 21) + 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *work(void *unused)
{
    shared = 1;
    for (int i = 0; i < RELEASES; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    unseen_wait(1);
    shared = 2;
    pthread_join(t, NULL);
    return 0;
}
