/* Memory that moves takes the history of atomic variables along. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/mman.h>

#include "pair.h"

enum { SIZE = 1 << 16 };
static long *map, *other;

static void *first(void *unused)
{
    atomic_store_explicit((_Atomic long *)&map[7], 1, memory_order_relaxed);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile long *moved = mremap(map, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    moved[7] = 2;
    return unused;
}

int main(void)
{
    map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
