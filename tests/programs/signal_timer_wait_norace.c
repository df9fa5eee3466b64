/* Whoever waits for a timer's signal is after whoever set the timer. */
#include "message.h"

#include <signal.h>
#include <time.h>

static sigset_t set;
static timer_t timer;

static void give(void)
{
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    must(timer_settime(timer, 0, &soon, NULL) == 0);
}

static void take(void)
{
    must(sigwaitinfo(&set, NULL) == SIGUSR1);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    return message();
}
