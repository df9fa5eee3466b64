/* Whoever waits for a signal is after whoever sent it to the process. */
#include "message.h"

#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void give(void)
{
    must(kill(getpid(), SIGUSR1) == 0);
}

static void take(void)
{
    int number;
    must(sigwait(&set, &number) == 0 && number == SIGUSR1);
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return message();
}
