/* A block so large that it goes back to the kernel when it is freed, by a thread that is unordered with one that has
 * used it and does nothing more. */
#include <stdlib.h>

#include "pair.h"

static volatile char *block;

static void *first(void *unused)
{
    block[3 << 20] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    free((void *)block);
    unseen_signal(2);
    return unused;
}

int main(void)
{
    block = calloc(16, 1 << 20);
    pair(first, second);
    return 0;
}
