/* One producer, one consumer, a ring with two indices: thousands of hand-overs both ways. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

enum { ROOM = 8, ITEMS = 5000 };

static atomic_uint head, tail;
static int slot[ROOM];

THREAD(producer)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == ROOM)
            unseen_yield();
        slot[i % ROOM] = (int)i;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return NULL;
}

THREAD(consumer)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            unseen_yield();
        if (slot[i % ROOM] != (int)i)
            abort();
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    run(producer, consumer);
    return 0;
}
