/* What a thread does after it has registered an exit handler is not before the handler. */
#include <pthread.h>
#include <stdlib.h>

#include "unseen.h"

int x;

static void handler(void)
{
    x++;
}

static void *worker(void *unused)
{
    atexit(handler);
    x = 1;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    unseen_wait(1);
    return 0;
}
