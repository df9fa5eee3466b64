/* A read-modify-write after a relaxed store continues nothing. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int x;
static int data;

THREAD(writer)
{
    data = 42;
    atomic_store_explicit(&x, 1, memory_order_release);
    unseen_signal(1);
    return NULL;
}

THREAD(other)
{
    unseen_wait(1);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
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
