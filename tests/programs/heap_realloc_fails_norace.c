/* A realloc that fails leaves the block to whoever uses it. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "pair.h"

static volatile int *block;
static volatile size_t too_much[] = {SIZE_MAX, SIZE_MAX / 2 - 100, (size_t)1 << 46};
static int bad;

static void *first(void *unused)
{
    for (int i = 0; i < 3; i++) {
        errno = 0;
        bad |= realloc((void *)block, too_much[i]) != NULL || errno != ENOMEM;
    }
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    block[7]++;
    return unused;
}

int main(void)
{
    block = calloc(26, sizeof *block);
    pair(first, second);
    bad |= block[7] != 1;
    free((void *)block);
    return bad;
}
