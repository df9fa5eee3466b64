/* Two accesses that share one byte. */
#include "pair.h"

char buffer[16] __attribute__((aligned(16)));

static void *first(void *unused)
{
    *(volatile int *)(buffer + 0) = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    *(volatile char *)(buffer + 3) = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
