/* A byte of a block is read next to memory that both threads use all the time, and the other thread frees the block. It
 * gets a smaller one there, which the byte is not part of, until malloc_usable_size() says how large it may be. */
#include <malloc.h>

#include "heap_byte_waits.h"

THREAD(first)
{
    for (int i = 0; i < 64; i += 4) {
        unseen_wait(2 * i);
        around[i] = 1;
        unseen_signal(2 * i + 4);
    }
    unseen_wait(128);
    (void)*(volatile char *)(block + 10);
    unseen_signal(WRITTEN);
    unseen_wait(GIVEN_OUT);
    return NULL;
}

THREAD(second)
{
    for (int i = 2; i < 64; i += 4) {
        unseen_wait(2 * i);
        around[i] = 1;
        unseen_signal(2 * i + 4);
    }
    unseen_wait(WRITTEN);
    char *old = block;
    free(old);
    again_block = malloc(3);
    if (again_block != old || malloc_usable_size(again_block) < 16) /* then this is no test */
        abort();
    unseen_signal(GIVEN_OUT);
    return NULL;
}

int main(void)
{
    around = malloc(64 * sizeof *around);
    block = malloc(12);
    run(first, second);
    free(again_block);
    free(around);
    return 0;
}
