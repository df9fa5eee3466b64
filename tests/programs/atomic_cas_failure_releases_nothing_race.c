/* A compare-exchange that fails releases nothing, whatever its success order. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
static int data;

THREAD(writer)
{
    data = 42;
    int five = 5;
    atomic_compare_exchange_strong_explicit(&ready, &five, 9, memory_order_acq_rel, memory_order_acquire);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (atomic_load_explicit(&ready, memory_order_acquire) == 0)
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
