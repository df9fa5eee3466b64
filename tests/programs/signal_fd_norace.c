/* Signals as something to read. */
#include "message.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void give(void)
{
    must(kill(getpid(), SIGUSR2) == 0);
}

static void take(void)
{
    struct signalfd_siginfo info;
    must(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2);
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    must((fd = signalfd(-1, &set, SFD_CLOEXEC)) >= 0);
    return message();
}
