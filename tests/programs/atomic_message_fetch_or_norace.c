/* Read-modify-writes of other kinds do too. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
static int data;

THREAD(writer)
{
    data = 42;
    atomic_fetch_or_explicit(&ready, 4, memory_order_acq_rel);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (atomic_fetch_and_explicit(&ready, 4, memory_order_acq_rel))
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
