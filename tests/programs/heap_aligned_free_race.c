/* An aligned block is used by one thread and freed by another. */
#include <stdlib.h>

#include "pair.h"

static char *block;

static void *first(void *unused)
{
    ((volatile char *)block)[99] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    free(block);
    unseen_signal(2);
    return unused;
}

int main(void)
{
    if (posix_memalign((void **)&block, 256, 100) != 0)
        return 1;
    pair(first, second);
    return 0;
}
