/* Two threads read whole pages at once; the first then writes a part of one. */
#include <string.h>

#include "pair.h"

char pages[4 * 4096] __attribute__((aligned(4096))), copies[2][4 * 4096];

static void *first(void *nothing)
{
    unseen_wait(1);
    memcpy(copies[0], pages, sizeof pages);
    pages[3 * 4096 + 100] = 1;
    return nothing;
}

static void *second(void *nothing)
{
    memcpy(copies[1], pages, sizeof pages);
    unseen_signal(1);
    return nothing;
}

int main(void)
{
    memset(pages, 3, sizeof pages);
    pair(first, second);
    return 0;
}
