/* What came before at_quick_exit() is before the handler, which another thread runs. */
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
    x = 1;
    at_quick_exit(handler);
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    unseen_wait(1);
    quick_exit(0);
}
