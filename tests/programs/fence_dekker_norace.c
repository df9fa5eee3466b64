/* Dekker's entry protocol with sequentially consistent fences: of two who want, at most one gets in at a
 * time. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_int wants[2];
static int count, entered[2];

static void work(int me)
{
    for (int i = 0; i < 500; i++) {
        atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&wants[1 - me], memory_order_relaxed) == 0) {
            atomic_thread_fence(memory_order_acquire);
            count++;
            entered[me]++;
        }
        atomic_store_explicit(&wants[me], 0, memory_order_release);
        unseen_yield();
    }
}

THREAD(first)
{
    work(0);
    return NULL;
}

THREAD(second)
{
    work(1);
    return NULL;
}

int main(void)
{
    run(first, second);
    if (count != entered[0] + entered[1])
        abort();
    return 0;
}
