/* The same for the one timer that each process has. */
#include "message.h"

#include <signal.h>
#include <sys/time.h>

static sigset_t set;

static void give(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 1}};
    must(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}

static void take(void)
{
    int number;
    must(sigwait(&set, &number) == 0 && number == SIGALRM);
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return message();
}
