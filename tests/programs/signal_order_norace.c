/* Whoever sends a signal is before the handler that it calls, in another thread. */
#include "message.h"

#include <signal.h>

static pthread_t target;
static volatile sig_atomic_t came;

static void ring(int number)
{
    (void)number;
#ifdef LATE
    unseen_wait(1);
#endif
    x = 3;
    came = 1;
}

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, NULL);
}

static void give(void)
{
    pthread_t to;
    while ((to = __atomic_load_n(&target, __ATOMIC_RELAXED)) == 0)
        unseen_yield();
    must(pthread_kill(to, SIGUSR1) == 0);
}

static void take(void)
{
    sigset_t none;
    sigemptyset(&none);
    __atomic_store_n(&target, pthread_self(), __ATOMIC_RELAXED);
    while (!came)
        sigsuspend(&none);
}

int main(void)
{
    struct sigaction action = {.sa_handler = ring};
    must(sigaction(SIGUSR1, &action, NULL) == 0);
    mask(SIG_BLOCK);
    return message();
}
