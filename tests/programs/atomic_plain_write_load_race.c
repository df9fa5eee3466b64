/* A plain write, then an atomic load. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static union {
    atomic_int x;
    int plain;
} u;

THREAD(first)
{
    *(volatile int *)&u.plain = 2;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    (void)atomic_load_explicit(&u.x, memory_order_seq_cst);
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
