/* The same next to memory that both threads use all the time. */
#include "heap_byte_waits.h"

THREAD(first)
{
    for (int i = 0; i < 64; i += 4) {
        unseen_wait(2 * i);
        around[i] = 1;
        unseen_signal(2 * i + 4);
    }
    unseen_wait(128);
    writer(NULL);
    return NULL;
}

THREAD(second)
{
    for (int i = 2; i < 64; i += 4) {
        unseen_wait(2 * i);
        around[i] = 1;
        unseen_signal(2 * i + 4);
    }
    again(NULL);
    return NULL;
}

int main(void)
{
    around = malloc(64 * sizeof *around);
    block = malloc(64);
    run(first, second);
    free(again_block);
    free(around);
    return 0;
}
