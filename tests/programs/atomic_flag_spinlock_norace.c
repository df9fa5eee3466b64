/* A spinlock made of a flag. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;

THREAD(work)
{
    for (int i = 0; i < 1000; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            unseen_yield();
        count++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    run(work, work, work);
    if (count != 3000)
        abort();
    return 0;
}
