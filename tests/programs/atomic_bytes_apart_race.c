/* Acquiring the flag in the neighbouring byte acquires nothing. */
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

THREAD(reader)
{
    unseen_wait(1);
    (void)atomic_load_explicit(&flag[1], memory_order_acquire);
    return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
