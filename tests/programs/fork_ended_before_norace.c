/* What threads did that have ended before a fork, and that nobody joined, is in the copy that the child goes on with, too.
 * (Tcl makes the mutexes of its notifier anew in the child.) */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unseen.h"

int shared[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *mine)
{
    *(int *)mine = 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    unseen_signal((int)syscall(SYS_gettid));
    return NULL;
}

/* Until the kernel knows no such thread any more. */
UNSEEN void wait_for_its_end(void)
{
    unseen_wait(1);
    while (syscall(SYS_tgkill, getpid(), unseen_now(), 0) == 0)
        unseen_yield();
    unseen_signal(0);
}

int main(void)
{
    int status;
    pthread_t joined, detached;
    pthread_create(&joined, NULL, writer, &shared[0]);
    wait_for_its_end();
    pthread_create(&detached, NULL, writer, &shared[1]);
    pthread_detach(detached);
    wait_for_its_end();
    pid_t pid = fork();
    if (pid == 0) {
        pthread_mutex_init(&mutex, NULL);
        shared[0]++;
        return shared[0] == 2 && shared[1] == 1 ? 0 : 2;
    }
    waitpid(pid, &status, 0);
    pthread_join(joined, NULL);
    return WEXITSTATUS(status);
}
