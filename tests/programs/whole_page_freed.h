/* A block of SIZE bytes is freed while another thread, which wrote all of it at once, may still be at it. */
#include <stdlib.h>
#include <string.h>

#include "pair.h"

char *block;

static void *first(void *nothing)
{
    memset(block, 1, SIZE);
    unseen_signal(1);
    return nothing;
}

static void *second(void *nothing)
{
    unseen_wait(1);
    free(block);
    return nothing;
}

int main(void)
{
    block = malloc(SIZE);
    pair(first, second);
    return 0;
}
