/* A sequence lock: data in relaxed atomics, the sequence number around them, fences in the reader and the
 * writer. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_uint sequence;
static atomic_int a, b;
static int payload; /* plain: written before the first change, read by whoever has seen one */

THREAD(writer)
{
    payload = 7;
    for (int i = 1; i <= 200; i++) {
        unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&a, i, memory_order_relaxed);
        atomic_store_explicit(&b, -i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
        unseen_yield();
    }
    return NULL;
}

THREAD(reader)
{
    int x, y;
    do {
        unsigned before, after;
        do {
            before = atomic_load_explicit(&sequence, memory_order_acquire);
            x = atomic_load_explicit(&a, memory_order_relaxed);
            y = atomic_load_explicit(&b, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            after = atomic_load_explicit(&sequence, memory_order_relaxed);
        } while (before != after || before & 1);
        if (x + y != 0 || (x > 0 && payload != 7))
            abort();
        unseen_yield();
    } while (x < 200);
    return NULL;
}

int main(void)
{
    run(writer, reader, reader);
    return 0;
}
