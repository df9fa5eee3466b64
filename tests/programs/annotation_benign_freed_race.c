/* An annotation of a block ends with the block: the next one at its address is another. */
#include <stdlib.h>

#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

static int *block;

THREAD(first)
{
    *block = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    *block = 2;
    return NULL;
}

int main(void)
{
    block = malloc(64);
    AnnotateBenignRaceSized(HERE, block, 64, "statistics");
    int *old = block;
    free(block);
    block = malloc(64);
    if (block != old) /* the allocator's business */
        AnnotateBenignRaceSized(HERE, old, 64, "not this one");
    run(first, second);
    free(block);
    return 0;
}
