/* What one thread has unmapped, another maps anew at the same address: new memory, although nothing orders
 * the two. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pair.h"

enum { SIZE = 1 << 16 };
static char *where;

static void *first(void *unused)
{
    char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < SIZE; i++)
        ((volatile char *)map)[i] = 1;
    munmap(map, SIZE);
    __asm__ volatile("movq %1, %0" : "=m"(where) : "r"(map) : "memory");
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    char *there;
    unseen_wait(1);
    __asm__ volatile("movq %1, %0" : "=r"(there) : "m"(where) : "memory");
    volatile char *map =
        mmap(there, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (int i = 0; i < SIZE; i++)
        map[i] = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
