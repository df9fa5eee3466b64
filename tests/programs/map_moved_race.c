/* Memory that moves takes its history along. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pair.h"

enum { SIZE = 1 << 16 };
static int *map, *other;

static void *first(void *unused)
{
    ((volatile int *)map)[99] = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile int *moved = mremap(map, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    moved[99] = 2;
    return unused;
}

int main(void)
{
    map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
