/* The memory of a semaphore is freed, unordered, after another thread has tried to take it in vain. */
#include <semaphore.h>
#include <stdlib.h>

#include "pair.h"

static sem_t *s;
int failed;

static void *first(void *unused)
{
    failed = sem_trywait(s);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    free(s);
    return unused;
}

int main(void)
{
    s = malloc(sizeof *s);
    sem_init(s, 0, 0);
    pair(first, second);
    return 0;
}
