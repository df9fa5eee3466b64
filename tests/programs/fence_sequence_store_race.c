/* ... and ended by a relaxed store of another thread. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int x;
static int data;

THREAD(writer)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    unseen_signal(1);
    return NULL;
}

THREAD(other)
{
    unseen_wait(1);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    unseen_signal(2);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(2);
    if (atomic_load_explicit(&x, memory_order_acquire) == 2)
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, other, reader);
    return 0;
}
