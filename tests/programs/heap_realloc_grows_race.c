/* A large block, a mapping of its own, is used while another thread makes it larger. */
#include <stdlib.h>

#include "pair.h"

static volatile int *block;
void *moved;

static void *first(void *unused)
{
    block[100000] = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    moved = realloc((void *)block, 4 << 20);
    return unused;
}

int main(void)
{
    block = malloc(1 << 20);
    pair(first, second);
    return 0;
}
