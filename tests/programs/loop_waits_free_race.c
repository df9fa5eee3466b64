/* A block is freed, and given out again, while the steps of a loop over it are still to be checked. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static char *block;

THREAD(reader)
{
    for (int i = 0; i < 60; i++)
        (void)*(volatile char *)&block[i];
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

THREAD(freer)
{
    unseen_wait(1);
    free(block);
    char *volatile next = malloc(100);
    free(next);
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    block = calloc(100, 1);
    run(reader, freer);
    return 0;
}
