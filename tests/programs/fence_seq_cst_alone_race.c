/* Two sequentially consistent fences are totally ordered, but without a variable between them nothing happens
 * before anything. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static int data;

THREAD(writer)
{
    data = 42;
    atomic_thread_fence(memory_order_seq_cst);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    atomic_thread_fence(memory_order_seq_cst);
    return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
