/* The steps of a loop are checked some at a time. Before they are, another thread writes one of the elements: it gets
 * to know of the loop all the same. The loop's thread never synchronizes again. */
#include "threads_together.h"
#include "unseen.h"

static long sum, element[256];

THREAD(reader)
{
    long found = 0;
    for (int i = 0; i < 100; i++)
        found += *(volatile long *)&element[i];
    unseen_signal(1);
    unseen_wait(2);
    *(volatile long *)&sum = found;
    return NULL;
}

THREAD(writer)
{
    unseen_wait(1);
    element[97] = 1;
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    run(reader, writer);
    return 0;
}
