/* A volatile flag orders nothing, and is no atomic variable. */
#include "pair.h"

static volatile int flag;

static void *first(void *unused)
{
    flag = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    while (!flag)
        ;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
