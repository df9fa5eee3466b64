/* A compare-exchange that fails has read all the same. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    atomic_int x;
    int plain;
} u;

THREAD(first)
{
    int not_there = 5;
    atomic_compare_exchange_weak(&u.x, &not_there, 6);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    *(volatile int *)&u.plain = 1;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
