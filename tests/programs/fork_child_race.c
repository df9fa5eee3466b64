/* A race of two threads that were started in the child of a process with several threads. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unseen.h"

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

int main(void)
{
    int status;
    pthread_t t;
    pthread_create(&t, NULL, idle, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_create(&t, NULL, writer, NULL);
        unseen_wait(1);
        shared = 2;
        pthread_join(t, NULL);
        return 0;
    }
    waitpid(pid, &status, 0);
    unseen_signal(2);
    pthread_join(t, NULL);
    return WEXITSTATUS(status);
}
