/* Two threads compare names, up to the middle of a word, in one epoch after the other; then one of them
 * changes the byte CHANGED. The names differ at byte 8. */
#include "pair.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char names[2][12] __attribute__((aligned(16))) = {"service.abc", "service.xyz"};
static atomic_int own[2];

static void compare(int me)
{
    for (int i = 0; i < 2000; i++) {
        if (strcmp(names[0], names[1]) >= 0)
            abort();
        atomic_store_explicit(&own[me], i, memory_order_release); /* a new epoch, of which nobody learns */
    }
    if (strcmp(names[0], names[1]) >= 0)
        abort();
}

static void *first(void *unused)
{
    compare(0);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    compare(1);
    unseen_wait(1);
    names[0][CHANGED] = 'b';
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
