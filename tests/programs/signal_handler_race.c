/* A signal handler writes what another thread writes, too. */
#include <signal.h>

#include "pair.h"

static volatile int x;

static void handler(int number)
{
    x = number;
}

static void *first(void *unused)
{
    pthread_kill(pthread_self(), SIGUSR1);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    x = 1;
    return unused;
}

int main(void)
{
    signal(SIGUSR1, handler);
    pair(first, second);
    return 0;
}
