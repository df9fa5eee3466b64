/* An acquire load that came before the release store learns nothing from it. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
int data;

THREAD(writer)
{
    unseen_wait(1);
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    unseen_signal(2);
    return NULL;
}

THREAD(reader)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return NULL;
    unseen_signal(1);
    unseen_wait(2);
    data = 1;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
