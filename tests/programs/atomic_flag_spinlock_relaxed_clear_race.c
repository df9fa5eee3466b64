/* A spinlock whose unlock does not release. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;

static void work(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        unseen_yield();
    count++;
    atomic_flag_clear_explicit(&lock, memory_order_relaxed);
}

THREAD(first)
{
    work();
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    work();
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
