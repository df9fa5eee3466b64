/* Sleeping long enough is not synchronization. */
#include <unistd.h>

#include "pair.h"

int x;

static void *first(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    usleep(2000);
    x = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
