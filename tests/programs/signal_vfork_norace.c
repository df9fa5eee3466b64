/* Handlers that come just when their thread makes a process that shares its memory: what is put off, and the steps to
 * where it can be handled, are the parent's, not the child's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, PROCESSES = 3000, LEFT = 3 };
static int handled; /* by any thread */
static int working = THREADS;

static void handle(int number)
{
    (void)number;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *make_processes(void *bad)
{
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = i % 2 ? vfork() : (pid_t)syscall(SYS_vfork);
        int status = 0;
        if (child == 0)
            _exit(LEFT);
        while (waitpid(child, &status, 0) < 0)
            continue;
        if (WEXITSTATUS(status) != LEFT)
            *(int *)bad = 1;
    }
    __atomic_fetch_sub(&working, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t thread[THREADS];
    int bad[THREADS] = {0};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, make_processes, &bad[i]);
    while (__atomic_load_n(&working, __ATOMIC_RELAXED) == THREADS) {
        for (int i = 0; i < THREADS; i++)
            pthread_kill(thread[i], SIGUSR1);
        usleep(20);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return bad[0] || bad[1] || handled == 0;
}
