/* The memory of a semaphore is freed, unordered, after another thread has asked for its value. */
#include <semaphore.h>
#include <stdlib.h>

#include "pair.h"

static sem_t *s;

static void *first(void *unused)
{
    int value;
    sem_getvalue(s, &value);
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
