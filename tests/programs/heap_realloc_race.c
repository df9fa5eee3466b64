/* realloc frees the old block: whoever uses that meanwhile races with it, also where the block stays in its place. */
#include <malloc.h>
#include <stdlib.h>

#include "pair.h"

static volatile int *block;
void *moved;

static void *first(void *unused)
{
    moved = realloc((void *)block, 96); /* less than it had */
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    block[7] = 1;
    return unused;
}

int main(void)
{
    block = malloc(104);
    pair(first, second);
    return 0;
}
