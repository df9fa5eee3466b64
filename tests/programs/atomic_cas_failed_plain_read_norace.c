/* A compare-exchange that fails only reads. */
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
    atomic_compare_exchange_strong(&u.x, &not_there, 6);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    (void)*(volatile int *)&u.plain;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
