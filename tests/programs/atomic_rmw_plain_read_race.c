/* A read-modify-write and a plain read. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    atomic_int x;
    int plain;
} u;

THREAD(first)
{
    atomic_fetch_add_explicit(&u.x, 1, memory_order_relaxed);
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
