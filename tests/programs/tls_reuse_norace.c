/* Detached threads, one after the other: each has the thread-local variables where the one before had its
 * own. */
#include "pair.h"

enum { THREADS = 40 };
static __thread volatile int own[100];

static void *worker(void *number)
{
    for (int i = 0; i < 100; i++)
        own[i] += i;
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
