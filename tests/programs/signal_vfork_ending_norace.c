/* A handler that makes a process comes when its thread has almost ended, and goes on afterwards: the thread is not one of the
 * program's again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 500, THREADS = 4, LEFT = 3 };
static int handled; /* by any thread */

static void handle(int number)
{
    int status;
    pid_t child = vfork();
    if (child == 0)
        _exit(LEFT);
    while (waitpid(child, &status, 0) < 0)
        continue;
    if (WEXITSTATUS(status) != LEFT)
        abort();
    __atomic_fetch_add(&handled, number, __ATOMIC_RELAXED);
}

static void *end(void *unused)
{
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++)
            pthread_create(&thread[i], NULL, end, NULL);
        for (int i = 0; i < 3 * THREADS; i++)
            pthread_kill(thread[i % THREADS], SIGUSR1);
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
    }
    return handled == 0;
}
