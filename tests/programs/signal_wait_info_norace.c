/* A signal with a value, and whoever waits for it at most so long. */
#include "message.h"

#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void give(void)
{
    must(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 7}) == 0);
}

static void take(void)
{
    siginfo_t info;
    struct timespec long_time = {.tv_sec = 50};
    must(sigtimedwait(&set, &info, &long_time) == SIGRTMIN && info.si_value.sival_int == 7);
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return message();
}
