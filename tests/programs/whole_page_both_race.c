/* Two threads write whole pages at once: the second step of the word that stands for a page is a race. */
#include <string.h>

#include "pair.h"

char pages[4 * 4096] __attribute__((aligned(4096)));

static void *first(void *nothing)
{
    memset(pages, 1, sizeof pages);
    unseen_signal(1);
    return nothing;
}

static void *second(void *nothing)
{
    unseen_wait(1);
    memset(pages + 4096, 2, 4096);
    return nothing;
}

int main(void)
{
    pair(first, second);
    return 0;
}
