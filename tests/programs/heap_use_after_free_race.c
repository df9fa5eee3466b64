/* A block is freed, and used by another thread that is not ordered before it. */
#include <stdlib.h>

#include "pair.h"

static volatile int *block;
int seen;

static void *first(void *unused)
{
    free((void *)block);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    seen = block[7];
    return unused;
}

int main(void)
{
    block = malloc(80);
    pair(first, second);
    return 0;
}
