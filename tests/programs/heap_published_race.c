/* Memory that is zero from the beginning was written by who allocated it: another thread that gets it by a relaxed store
 * must not read it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

static _Atomic(int *) published;
int seen;

static void *first(void *unused)
{
    atomic_store_explicit(&published, calloc(4, sizeof(int)), memory_order_relaxed);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    seen = atomic_load_explicit(&published, memory_order_relaxed)[3];
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
