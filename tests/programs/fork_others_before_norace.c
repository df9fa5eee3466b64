/* What other threads wrote before a fork is in the copy that the child goes on with: no access of the child is
 * concurrent with it. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unseen.h"

int shared;

static void *writer(void *unused)
{
    shared = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

int main(void)
{
    int status;
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(1);
    pid_t pid = fork();
    if (pid == 0)
        return shared == 1 ? 0 : 2;
    waitpid(pid, &status, 0);
    unseen_signal(2);
    pthread_join(t, NULL);
    return WEXITSTATUS(status);
}
