/* A thread is cancelled while it joins another, which is joined by somebody else then. */
#include "pair.h"

int x;
static pthread_t worker_thread;

static void *worker(void *unused)
{
    unseen_wait(1);
    x = 1;
    return unused;
}

static void *joiner(void *unused)
{
    pthread_join(worker_thread, NULL);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&worker_thread, NULL, worker, NULL);
    pthread_create(&t, NULL, joiner, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    unseen_signal(1);
    pthread_join(worker_thread, NULL);
    return x != 1;
}
