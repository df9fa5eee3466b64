/* An atomic load and a plain read only read. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    atomic_int x;
    int plain;
} u;

THREAD(first)
{
    (void)atomic_load_explicit(&u.x, memory_order_relaxed);
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
