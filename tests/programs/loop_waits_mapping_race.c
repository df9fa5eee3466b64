/* A block that is a mapping of its own is freed while the steps of a loop over it are still to be checked. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

enum { SIZE = 1 << 20 };
static short *memory;

THREAD(writer)
{
    for (int i = 5000; i < 5100; i++)
        *(volatile short *)&memory[i] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

THREAD(freer)
{
    unseen_wait(1);
    free(memory);
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    memory = malloc(SIZE);
    run(writer, freer);
    return 0;
}
