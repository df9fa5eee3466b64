/* One byte in the upper half of an 8-byte atomic. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    _Atomic long x;
    char plain[8];
} u;

THREAD(first)
{
    atomic_store_explicit(&u.x, 1, memory_order_relaxed);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    *(volatile char *)&u.plain[7] = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
