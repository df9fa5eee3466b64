/* A compare-exchange that fails with a relaxed failure order acquires nothing, whatever its success order. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
static int data;

THREAD(writer)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    int zero = 0;
    if (!atomic_compare_exchange_strong_explicit(&ready, &zero, 9, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
