/* A signal that arrives in a child while it is still in fork() is not lost: one that kills does, and a handler is called. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

enum { CHILDREN = 40 };

static void handler(int number)
{
    _exit(number == SIGUSR1 ? 9 : 1);
}

static void *wait_for_end(void *unused)
{
    pause();
    return unused;
}

/* Returns the child's status. Later and later, so that some come before, some in, some after the call's end. */
static int send(int number, int delay)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    for (volatile int i = 0; i < delay; i++)
        ;
    must(kill(child, number) == 0 && waitpid(child, &status, 0) == child);
    return status;
}

int main(void)
{
    pthread_t other;
    must(signal(SIGUSR1, handler) != SIG_ERR);
    pthread_create(&other, NULL, wait_for_end, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        int status = send(SIGTERM, 500 * i);
        must(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
        status = send(SIGUSR1, 500 * i);
        must(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    }
    pthread_cancel(other);
    pthread_join(other, NULL);
    return 0;
}
