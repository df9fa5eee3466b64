/* 5,000 detached threads, one after the other, each with a write that nobody learns of, and one that the next learns
 * of through a mutex. */
#include <pthread.h>

#include "unseen.h"

enum { THREADS = 5000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared;
char own[THREADS];

static void *work(void *argument)
{
    long number = (long)argument;
    own[number] = 1;
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    own[number] = 2;
    unseen_signal((int)number + 1);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    for (long i = 0; i < THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, &attributes, work, (void *)i) != 0)
            return 2;
        unseen_wait((int)i + 1);
    }
    pthread_mutex_lock(&mutex);
    int sum = shared;
    pthread_mutex_unlock(&mutex);
    return sum == THREADS ? 0 : 2;
}
