/* The same next to memory that both threads use all the time. */
#include "heap_byte_waits.h"

THREAD(first)
{
    share(0);
    writer(NULL);
    return NULL;
}

THREAD(second)
{
    share(2);
    again(NULL);
    return NULL;
}

int main(void)
{
    around = malloc(AROUND * sizeof *around);
    block = malloc(64);
    run(first, second);
    free(again_block);
    free(around);
    return 0;
}
