/* A handler that runs before another is not ordered by the other's registration. */
#include <pthread.h>
#include <stdlib.h>

#include "unseen.h"

int x;

static void first(void)
{
    x++;
}

static void last(void)
{
}

static void *worker(void *unused)
{
    x = 1;
    atexit(last);
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    unseen_wait(1);
    atexit(first); /* the latest comes first */
    return 0;
}
