/* A thread that is early for the next round of a barrier must not be taken to be ordered before those who are late to
 * leave this one. The late one is kept inside pthread_barrier_wait by a signal handler until the early one sleeps in
 * its second wait. A detector with one clock a barrier does not see this race. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"

int x;
static pthread_barrier_t b;
static int early_id, late_id;

/* Does the thread sleep in the kernel? */
UNSEEN int asleep(int thread)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY);
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strrchr(text, ')');
    return state != NULL && state[2] == 'S';
}

UNSEEN void stay(int signal)
{
    (void)signal;
    unseen_signal(2);
    unseen_wait(3);
    while (!asleep(early_id))
        unseen_yield();
}

UNSEEN void note_id(int *id)
{
    *id = (int)syscall(SYS_gettid);
}

static void *late(void *unused)
{
    note_id(&late_id);
    unseen_signal(1);
    pthread_barrier_wait(&b);
    x = 2;
    pthread_barrier_wait(&b);
    return unused;
}

static void *early(void *unused)
{
    note_id(&early_id);
    unseen_wait(2);
    pthread_barrier_wait(&b);
    x = 1;
    unseen_signal(3);
    pthread_barrier_wait(&b);
    return unused;
}

int main(void)
{
    pthread_t l, e;
    signal(SIGUSR1, stay);
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&l, NULL, late, NULL);
    unseen_wait(1);
    while (!asleep(late_id))
        unseen_yield();
    pthread_kill(l, SIGUSR1);
    pthread_create(&e, NULL, early, NULL);
    pthread_join(l, NULL);
    pthread_join(e, NULL);
    return 0;
}
