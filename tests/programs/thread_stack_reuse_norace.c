/* Detached threads, one after the other, on the same stack: nothing orders them, and nothing they share. */
#include "pair.h"

enum { THREADS = 60 };

static __attribute__((noinline)) int sum(volatile int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i] = i;
    return total;
}

static void *worker(void *number)
{
    volatile int values[1000];
    sum(values, 1000);
    unseen_signal((int)(long)number + 1);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, &attributes, worker, (void *)i) != 0)
            return 1;
        unseen_wait((int)i + 1);
    }
    return 0;
}
