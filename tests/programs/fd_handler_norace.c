/* A handler tells through a pipe that a signal has come, at any moment: also while its thread uses pipes,
 * locks and memory itself. */
#include "message.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int told[2], fd[2];
static volatile sig_atomic_t rings;

static void ring(int number)
{
    int before = errno;
    (void)number;
    rings = rings + 1;
    if (write(told[1], "!", 1) != 1)
        abort();
    errno = before;
}

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    must(pthread_sigmask(how, &set, NULL) == 0);
}

static void give(void)
{
    mask(SIG_UNBLOCK); /* the only thread that gets any */
    for (int i = 0; i < 3000 || rings < 20; i++) {
        char c = 'a';
        ssize_t done;
        void *block = malloc(100);
        while ((done = write(fd[1], &c, 1)) < 0 && errno == EINTR)
            ;
        must(done == 1);
        while ((done = read(fd[0], &c, 1)) < 0 && errno == EINTR)
            ;
        must(done == 1 && c == 'a');
        free(block);
    }
    mask(SIG_BLOCK);
    must(write(told[1], "?", 1) == 1);
}

static void take(void)
{
    char c = '!';
    while (c == '!')
        must(read(told[0], &c, 1) == 1);
}

int main(void)
{
    struct itimerval often = {{.tv_usec = 200}, {.tv_usec = 200}};
    struct sigaction action = {.sa_handler = ring};
    must(pipe(told) == 0 && pipe(fd) == 0);
    must(sigaction(SIGALRM, &action, NULL) == 0);
    mask(SIG_BLOCK);
    must(setitimer(ITIMER_REAL, &often, NULL) == 0);
    return message();
}
