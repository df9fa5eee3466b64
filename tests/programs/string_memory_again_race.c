/* A string is compared and freed, and another thread gets its memory for the next one: that it was compared
 * before, in the same epoch, says nothing of the new one. */
#include "pair.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 2000 }; /* no thread keeps such for itself */

static char *block;
static _Atomic(char *) next;

static void *first(void *unused)
{
    free(malloc(1));
    unseen_wait(1);
    int order = strcmp(block, "first");
    free(block);
    unseen_signal(2);
    unseen_wait(3);
    order += strcmp(atomic_load_explicit(&next, memory_order_acquire), "second");
    unseen_signal(4);
    if (order != 0)
        abort();
    return unused;
}

static void *second(void *unused)
{
    free(malloc(1)); /* what the allocator has for each thread is there */
    unseen_signal(1);
    unseen_wait(2);
    char *again = malloc(SIZE);
    if (again != block)
        abort();
    strcpy(again, "second");
    atomic_store_explicit(&next, again, memory_order_release);
    unseen_signal(3);
    unseen_wait(4);
    again[0] = 'x';
    return unused;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    block = malloc(SIZE);
    char *behind = malloc(SIZE); /* so that it is not united with what is left */
    strcpy(block, "first");
    pair(first, second);
    free(behind);
    return 0;
}
