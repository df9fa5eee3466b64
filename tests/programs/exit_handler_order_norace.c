/* What came before the registration of an exit handler is before the handler, whichever threads they are in. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "unseen.h"

int plain, with_status;

static void handler(void)
{
    plain++;
}

static void handler_with_status(int status, void *argument)
{
    (void)status;
    *(int *)argument += 1;
}

static void *worker(void *unused)
{
    plain = 1;
    atexit(handler);
    with_status = 1;
    on_exit(handler_with_status, &with_status);
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
