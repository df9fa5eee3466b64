/* The process ends while another thread, which never comes to the end of its loop, has steps of it still to be checked. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static int element[1024];

THREAD(endless)
{
    for (int i = 200; i >= 0; i--)
        *(volatile int *)&element[3 * i] = i;
    unseen_signal(1);
    unseen_wait(3);
    return NULL;
}

THREAD(ends)
{
    *(volatile int *)&element[3] = 1;
    unseen_wait(1);
    exit(0);
}

int main(void)
{
    run(endless, ends);
    return 0;
}
