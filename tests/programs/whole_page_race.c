/* A thread writes whole pages at once, for which one word of the shadow stands; another one an int in the middle of them. */
#include <string.h>

#include "pair.h"

enum { PAGE = 4096 };

char pages[4 * PAGE] __attribute__((aligned(4096)));

static void *first(void *nothing)
{
    memset(pages, 1, sizeof pages);
    unseen_signal(1);
    return nothing;
}

static void *second(void *nothing)
{
    unseen_wait(1);
    ((int *)pages)[2000] = 1;
    return nothing;
}

int main(void)
{
    pair(first, second);
    return 0;
}
