/* Threads that are left behind when the program exits, in the state that the argument names. What they wait for is
 * nothing that the detector sees: where the main thread is, by the kernel's word. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/unseen.h"

enum { STARTED = 1, EXITING };

int shared;
static const char *way;
static long worker_id;

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

/* The thread's state, as ps shows it; by system calls alone. */
UNSEEN char state_of(long thread)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    if (fd >= 0)
        syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    const char *end = strrchr(text, ')');
    return end != NULL ? end[2] : '?';
}

UNSEEN void wait_until_asleep(long thread)
{
    while (state_of(thread) != 'S')
        unseen_yield();
}

UNSEEN void note_worker(void)
{
    worker_id = syscall(SYS_gettid);
    unseen_signal(STARTED);
}

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000}, NULL);
}

static void *worker(void *unused)
{
    note_worker();
    if (is("blocked"))
        pause();
    if (is("sleeps-long"))
        nap(100000L * 1000000000);
    if (is("sleeps"))
        nap(200000000);
    if (is("polls"))
        poll(NULL, 0, 200);
    if (is("selects"))
        select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 200000});
    while (is("naps"))
        nap(1000000);
    while (is("runs"))
        unseen_yield();
    if (is("runnable") || is("ends")) { /* runs until the main thread waits for it */
        unseen_wait(EXITING);
        wait_until_asleep(getpid());
    }
    if (!is("ends"))
        shared = 1;
    return unused;
}

static void exiting(void)
{
    unseen_signal(EXITING);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    way = argc > 1 ? argv[1] : "joined";
    atexit(exiting);
    pthread_create(&thread, NULL, worker, NULL);
    if (argc > 2 && strcmp(argv[2], "detached") == 0)
        pthread_detach(thread);
    if (is("joined"))
        pthread_join(thread, NULL);
    shared = 2;
    unseen_wait(STARTED);
    if (is("blocked") || is("sleeps") || is("polls") || is("selects") || is("sleeps-long"))
        wait_until_asleep(worker_id);
    if (argc > 2 && strcmp(argv[2], "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
        quick_exit(0); /* at once, whoever is left */
    }
    if (argc > 2 && strcmp(argv[2], "_exit") == 0) {
        exiting();
        _exit(0);
    }
    return 0;
}
