/* A weak compare-exchange that succeeds acquires and releases. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
static int data;

THREAD(writer)
{
    data = 42;
    int zero = 0;
    while (
        !atomic_compare_exchange_weak_explicit(&ready, &zero, 1, memory_order_release, memory_order_relaxed))
        zero = 0;
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    int one = 1;
    while (
        !atomic_compare_exchange_weak_explicit(&ready, &one, 2, memory_order_acquire, memory_order_relaxed))
        one = 1;
    return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
