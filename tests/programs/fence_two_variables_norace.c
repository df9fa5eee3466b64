/* One release fence, two stores; one acquire fence, two loads. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int x, y;
int a, b;

THREAD(first)
{
    a = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    b = 2;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    unseen_signal(2);
    return NULL;
}

THREAD(third)
{
    unseen_wait(2);
    if (atomic_load_explicit(&x, memory_order_relaxed) && atomic_load_explicit(&y, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        return a + b == 3 ? NULL : &a;
    }
    return NULL;
}

int main(void)
{
    run(first, second, third);
    return 0;
}
