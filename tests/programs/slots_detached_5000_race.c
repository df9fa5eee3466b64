/* 5,000 detached threads, one after the other, of whose accesses nobody ever learns. What the first one wrote is still
 * known when the last one writes it, too. */
#include <pthread.h>

#include "unseen.h"

enum { THREADS = 5000 };

int shared;
char own[THREADS]; /* so that each of them is remembered for something */

static __attribute__((noinline)) void first_writes(void)
{
    shared = 1;
}

static __attribute__((noinline)) void last_writes(void)
{
    shared = 2;
}

static void *work(void *argument)
{
    long number = (long)argument;
    own[number] = 1;
    if (number == 0)
        first_writes();
    if (number == THREADS - 1)
        last_writes();
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
    return 0;
}
