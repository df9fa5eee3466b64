/* An atomic load and a plain write. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    atomic_int x;
    int plain;
} u;

THREAD(first)
{
    (void)atomic_load_explicit(&u.x, memory_order_acquire);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    *(volatile int *)&u.plain = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
