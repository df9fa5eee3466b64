/* Flags in neighbouring bytes have clocks of their own: a relaxed store to one does not end the sequence of
 * the other. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_char flag[4];
static int data;

THREAD(writer)
{
    data = 42;
    atomic_store_explicit(&flag[0], 1, memory_order_release);
    unseen_signal(1);
    return NULL;
}

THREAD(other)
{
    unseen_wait(1);
    atomic_store_explicit(&flag[1], 1, memory_order_relaxed);
    unseen_signal(2);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(2);
    if (atomic_load_explicit(&flag[0], memory_order_acquire))
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, other, reader);
    return 0;
}
