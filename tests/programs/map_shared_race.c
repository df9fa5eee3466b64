/* Two threads write the same byte of a mapping. */
#include <sys/mman.h>

#include "pair.h"

static volatile char *map;

static void *first(void *unused)
{
    map[5000] = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    map[5000] = 2;
    return unused;
}

int main(void)
{
    map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pair(first, second);
    return 0;
}
