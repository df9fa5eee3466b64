/* A byte of a block is written, and another thread frees the block and gets it from malloc() again before the
 * writer does anything else. The write is still to be compared with the free(). */
#include "heap_byte_waits.h"

int main(void)
{
    block = malloc(64);
    run(writer, again);
    free(again_block);
    return 0;
}
