/* A barrier that could be shared between processes, between threads. */
#include "pair.h"

enum { PHASES = 100 };

int value[2];
static pthread_barrier_t b;

static void *worker(void *argument)
{
    long me = (long)argument;
    for (int phase = 0; phase < PHASES; phase++) {
        value[me]++;
        pthread_barrier_wait(&b);
        if (value[!me] != phase + 1)
            return &b;
        pthread_barrier_wait(&b);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrierattr_t attributes;
    void *bad[2];
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&b, &attributes, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &bad[i]);
    return bad[0] != NULL || bad[1] != NULL;
}
