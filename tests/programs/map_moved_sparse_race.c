/* A large mapping of which little was touched takes its history along, and what it has moved over is forgotten; neither the
 * time nor the memory is that of the whole mapping. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

#include "must.h"
#include "pair.h"

#define SIZE (UINT64_C(64) << 30)
static char *map, *other;

static void *reserve(size_t size)
{
    void *reserved =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(reserved != MAP_FAILED);
    return reserved;
}

static void *first(void *unused)
{
    ((volatile char *)map)[SIZE / 3] = 1;
    ((volatile char *)other)[SIZE / 2] = 1; /* moved over */
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile char *moved = mremap(map, SIZE, 2 * SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    must(moved == other);
    moved[SIZE / 2] = 2;
    moved[SIZE / 3] = 2; /* races */
    return unused;
}

int main(void)
{
    map = reserve(SIZE);
    other = reserve(2 * SIZE);
    pair(first, second);
    return 0;
}
