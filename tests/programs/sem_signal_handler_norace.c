/* A signal handler posts: that is what sem_post is for. */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

#include "pair.h"

int x;
static sem_t s;

static void handler(int signal)
{
    (void)signal;
    int error = errno;
    sem_post(&s);
    errno = error;
}

static void *worker(void *unused)
{
    x = 1;
    raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, worker, NULL);
    while (sem_wait(&s) != 0)
        ;
    int bad = x != 1;
    pthread_join(t, NULL);
    return bad;
}
