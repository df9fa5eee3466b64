/* A race of two threads in the child of clone(), which has a copy of the memory: its status says so. Its parent has other
 * threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "must.h"
#include "unseen.h"

enum { STACK = 1 << 18 };

static char stack[STACK] __attribute__((aligned(64)));
int shared;

static void *idle(void *unused)
{
    unseen_wait(2);
    return unused;
}

static void *writer(void *unused)
{
    shared = 1;
    unseen_signal(1);
    return unused;
}

static int child(void *unused)
{
    pthread_t t;
    (void)unused;
    must(pthread_create(&t, NULL, writer, NULL) == 0);
    unseen_wait(1);
    shared = 2;
    pthread_join(t, NULL);
    return 0;
}

int main(void)
{
    int status;
    pthread_t t;
    pthread_create(&t, NULL, idle, NULL);
    pid_t pid = clone(child, stack + STACK, SIGCHLD, NULL);
    must(pid > 0 && waitpid(pid, &status, 0) == pid);
    unseen_signal(2);
    pthread_join(t, NULL);
    return WEXITSTATUS(status);
}
