/* Every way to a new process but fork(), while other threads are inside the runtime all the time: on mutexes, atomic
 * variables and the heap. The children do the same, as far as they may: those that share the parent's memory only end, or
 * become another program. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

enum { THREADS = 3, ROUNDS = 60, STACK = 1 << 17, STATUS = 7 };

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop, counter;
int shared, own[1000];
static char stack[STACK] __attribute__((aligned(64)));

static void *hammer(void *unused)
{
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&busy);
        shared++;
        pthread_mutex_unlock(&busy);
        atomic_fetch_add(&counter, 1);
        free(malloc(100));
    }
    return unused;
}

/* With a copy of the memory: whatever the other threads did is before this. */
static int copied(void *unused)
{
    (void)unused;
    shared++;
    for (int i = 0; i < 1000; i++)
        own[i]++;
    pthread_mutex_lock(&mutex);
    own[0]++;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&counter, 1);
    return STATUS;
}

static int ends(void *unused)
{
    (void)unused;
    _exit(STATUS);
}

static int becomes(void *unused)
{
    char *const arguments[] = {"sh", "-c", "exit 7", NULL};
    (void)unused;
    execve("/bin/sh", arguments, NULL);
    _exit(1);
}

static void wait_for(pid_t child)
{
    int status;
    must(child > 0);
    must(waitpid(child, &status, 0) == child);
    must(WIFEXITED(status) && WEXITSTATUS(status) == STATUS);
}

/* The child goes on behind the call. */
static void by_number(long child)
{
    if (child == 0)
        _exit(copied(NULL));
    wait_for((pid_t)child);
}

static void shared_by_number(long child, int round)
{
    if (child == 0) {
        if (round % 2 == 0)
            _exit(STATUS);
        becomes(NULL);
    }
    wait_for((pid_t)child);
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, hammer, NULL);
    struct clone_args copy = {.exit_signal = SIGCHLD},
                      share = {.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD};
    const int sharing = CLONE_VM | CLONE_VFORK | SIGCHLD;
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(clone(copied, stack + STACK, SIGCHLD, NULL));
        wait_for(clone(i % 2 ? ends : becomes, stack + STACK, sharing, NULL));
        by_number(syscall(SYS_fork));
        by_number(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
        by_number(syscall(SYS_clone3, &copy, sizeof copy));
        shared_by_number(vfork(), i);
        shared_by_number(syscall(SYS_vfork), i);
        shared_by_number(syscall(SYS_clone, sharing, 0, 0, 0, 0), i);
        shared_by_number(syscall(SYS_clone3, &share, sizeof share), i);
        own[i]++; /* still checked, and this thread still counts as itself */
        pthread_mutex_lock(&busy);
        shared++;
        pthread_mutex_unlock(&busy);
    }
    must(syscall(SYS_clone3, NULL, sizeof copy) == -1);
    must(syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0) == -1);
    must(clone(NULL, stack + STACK, SIGCHLD, NULL) == -1);
    must(syscall(SYS_getpid) == getpid());
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
