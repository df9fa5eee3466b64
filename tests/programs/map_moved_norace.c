/* A mapping that one thread has moved and made larger: what it has grown by is new, and so is what comes to
 * be where it was. Nothing orders the threads. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pair.h"

enum { SIZE = 1 << 16 };
static char *map, *other;

static void *first(void *unused)
{
    for (int i = 0; i < SIZE; i++)
        ((volatile char *)map)[i] = 1;
    for (int i = 0; i < 2 * SIZE; i++)
        ((volatile char *)other)[i] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile char *moved = mremap(map, SIZE, 2 * SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    for (int i = SIZE; i < 2 * SIZE; i++)
        moved[i] = 2;
    volatile char *anew =
        mmap(map, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (int i = 0; i < SIZE; i++)
        anew[i] = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
