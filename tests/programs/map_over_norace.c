/* Mapped over a part of memory that another thread has used: that part begins anew, and the rest is not
 * touched. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pair.h"

enum { PAGE = 4096 };
static char *map;

static void *first(void *unused)
{
    for (int i = 0; i < 3 * PAGE; i++)
        ((volatile char *)map)[i] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    volatile char *over =
        mmap(map + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (int i = 0; i < PAGE; i++)
        over[i] = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
