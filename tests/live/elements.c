/* A loop over an array, of which another thread has written one element. */
#include <pthread.h>

#include "../programs/unseen.h"

static long element[1000];

static long sum(const long *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

static void *reader(void *n)
{
    unseen_wait(1);
    return (void *)sum(element, (long)n);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, (void *)1000L);
    element[500] = 1;
    unseen_signal(1);
    pthread_join(t, NULL);
    return 0;
}
