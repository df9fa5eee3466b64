/* Atomic accesses do not race with each other, whatever their order. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int x;

THREAD(first)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    atomic_store_explicit(&x, 3, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
