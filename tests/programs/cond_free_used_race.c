/* The memory of a condition variable is freed, unordered, after another thread has told all who wait. */
#include <stdlib.h>

#include "pair.h"

static pthread_cond_t *c;

static void *first(void *unused)
{
    pthread_cond_broadcast(c);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    free(c);
    return unused;
}

int main(void)
{
    c = malloc(sizeof *c);
    pthread_cond_init(c, NULL);
    pair(first, second);
    return 0;
}
