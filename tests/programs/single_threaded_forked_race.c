/* The child of a fork has one thread, whatever its parent had, until it creates another. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pair.h"

int x;

static void *parents(void *unused)
{
    x = 1;
    unseen_wait(1);
    return unused;
}

static void *childs(void *unused)
{
    unseen_wait(1);
    x = 3;
    return unused;
}

static void child(void)
{
    pthread_t t;
    x = 2; /* ordered: the memory is a copy */
    pthread_create(&t, NULL, childs, NULL);
    x = 4;
    unseen_signal(1);
    pthread_join(t, NULL);
    exit(0);
}

int main(void)
{
    pthread_t t;
    int status;
    pthread_create(&t, NULL, parents, NULL);
    pid_t pid = fork();
    if (pid == 0)
        child();
    waitpid(pid, &status, 0);
    unseen_signal(1);
    pthread_join(t, NULL);
    return WEXITSTATUS(status);
}
