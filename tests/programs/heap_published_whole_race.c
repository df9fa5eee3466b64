/* Allocating a block writes all of it, also what is far from its beginning: another thread that gets it by a relaxed store
 * must not read it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

#ifndef BYTES
#define BYTES 8192
#define AT    5000
#endif

static _Atomic(char *) published;
int seen;

static void *first(void *unused)
{
    atomic_store_explicit(&published, malloc(BYTES), memory_order_relaxed);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    seen = atomic_load_explicit(&published, memory_order_relaxed)[AT];
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
