/* A byte of a block is read next to memory that both threads use all the time, and the other thread frees the
 * block. It gets a smaller one there, which the byte is not part of, until malloc_usable_size() says how
 * large it may be. */
#include <malloc.h>

#include "heap_byte_waits.h"

THREAD(first)
{
    share(0);
    (void)*(volatile char *)(block + 10);
    unseen_signal(WRITTEN);
    unseen_wait(GIVEN_OUT);
    return NULL;
}

THREAD(second)
{
    share(2);
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
    around = malloc(AROUND * sizeof *around);
    block = malloc(12);
    run(first, second);
    free(again_block);
    free(around);
    return 0;
}
