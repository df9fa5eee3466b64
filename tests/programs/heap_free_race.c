/* A block is used, and freed by another thread that is not ordered after the use. */
#include <stdlib.h>

#include "pair.h"

static int *block;

static void *first(void *unused)
{
    block[5] = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    free(block);
    return unused;
}

int main(void)
{
    block = malloc(80);
    pair(first, second);
    return 0;
}
