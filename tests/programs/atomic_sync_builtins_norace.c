/* The __sync builtins: a lock of __sync_lock_test_and_set and __sync_lock_release, counters. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static int lock, count, total;

THREAD(work)
{
    for (int i = 0; i < 300; i++) {
        while (__sync_lock_test_and_set(&lock, 1))
            unseen_yield();
        count++;
        __sync_lock_release(&lock);
        __sync_fetch_and_add(&total, 1);
        int seen = __sync_fetch_and_add(&total, 0);
        while (!__sync_bool_compare_and_swap(&total, seen, seen))
            seen = __sync_val_compare_and_swap(&total, -1, 0); /* never -1: reads what is there */
    }
    return NULL;
}

int main(void)
{
    run(work, work);
    if (count != 600 || total != 600)
        abort();
    return 0;
}
