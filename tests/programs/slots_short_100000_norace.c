/* 100,000 threads over a run, joined every other one, the others detached. Memory does not grow with the number of
 * joined ones. */
#include <pthread.h>
#include <sys/resource.h>

#include "unseen.h"

enum { THREADS = 100000, MOST_KILOBYTES = 1 << 20 };

int joined;

static void *work(void *argument)
{
    if (argument == NULL)
        joined++;
    else
        unseen_signal((int)(long)argument);
    return NULL;
}

int main(void)
{
    for (long i = 0; i < THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, work, i % 2 == 0 ? NULL : (void *)i) != 0)
            return 2;
        if (i % 2 == 0) {
            pthread_join(t, NULL);
        } else {
            pthread_detach(t);
            unseen_wait((int)i);
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return joined == THREADS / 2 && usage.ru_maxrss < MOST_KILOBYTES ? 0 : 2;
}
