/* A named semaphore, opened by each thread for itself. */
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "pair.h"

int x, seen;
static char name[64];

static void *giver(void *unused)
{
    sem_t *s = sem_open(name, O_CREAT, 0600, 0);
    x = 1;
    sem_post(s);
    sem_close(s);
    return unused;
}

static void *taker(void *unused)
{
    sem_t *s = sem_open(name, O_CREAT, 0600, 0);
    sem_wait(s);
    seen = x;
    sem_close(s);
    return unused;
}

int main(void)
{
    snprintf(name, sizeof name, "/pf-test-%d", (int)getpid());
    sem_t *s = sem_open(name, O_CREAT, 0600, 0);
    if (s == SEM_FAILED)
        return 0; /* no shared memory here */
    pair(giver, taker);
    sem_close(s);
    sem_unlink(name);
    return seen != 1;
}
