/* Memory that moves takes the history of single bytes along, also of such that were written a moment ago. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pair.h"

enum { SIZE = 1 << 16 };
static char *map, *other;

static void *first(void *unused)
{
    ((volatile char *)map)[SIZE - 2] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile char *moved = mremap(map, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    moved[SIZE - 2] = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
