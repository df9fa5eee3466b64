/* A relaxed read-modify-write after a release fence publishes it; one before an acquire fence counts as a
 * load. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int ready;
static int data;

THREAD(writer)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        return data == 42 ? NULL : &data;
    }
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
