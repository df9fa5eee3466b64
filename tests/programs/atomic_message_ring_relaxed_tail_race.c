/* The same ring, but the consumer gives slots back without releasing: the producer overwrites unordered. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_uint head, tail;
static int slot;

THREAD(producer)
{
    for (unsigned i = 0; i < 4; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == 1)
            unseen_yield();
        slot = (int)i;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return NULL;
}

THREAD(consumer)
{
    int sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            unseen_yield();
        sum += slot;
        atomic_store_explicit(&tail, i + 1, memory_order_relaxed);
    }
    return sum == 6 ? NULL : &slot;
}

int main(void)
{
    run(producer, consumer);
    return 0;
}
