/* One thread writes a byte; another, which is not ordered with it, gives its block back, and gets it again: the
 * byte is compared with the free(), not with the new block. */
#pragma once

#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

enum { AROUND = 64, SHARED = 2 * AROUND, WRITTEN = 1000, GIVEN_OUT };

static char *block, *again_block;
static int *around __attribute__((unused));

/* Two threads take turns and write their own of these, from 0 and from 2 on: both have used the
 * memory in step SHARED. */
__attribute__((unused)) static void share(int from)
{
    for (int i = from; i < AROUND; i += 4) {
        unseen_wait(2 * i);
        around[i] = 1;
        unseen_signal(2 * i + 4);
    }
    unseen_wait(SHARED);
}

__attribute__((unused)) THREAD(writer)
{
    block[5] = 1;
    unseen_signal(WRITTEN);
    unseen_wait(GIVEN_OUT);
    return NULL;
}

__attribute__((unused)) THREAD(again)
{
    unseen_wait(WRITTEN);
    char *old = block;
    free(old);
    again_block = malloc(64); /* the main thread frees it */
    if (again_block != old)   /* then this is no test */
        abort();
    unseen_signal(GIVEN_OUT);
    return NULL;
}
