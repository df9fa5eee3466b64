/* A thread goes over a block in a loop that is checked as a whole (src/place/), and frees it; another one gets the same memory
 * and hands it over. What the first one does in the new block, still in the same epoch, is not what was checked before. */
#include <malloc.h>
#include <stdlib.h>

#include "pair.h"

enum { COUNT = 1000 };

void __pf_writes(void *first, size_t size, ptrdiff_t stride, size_t count);

static int *block, *again;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *nothing)
{
    unseen_wait(1);
    __pf_writes(block, sizeof *block, sizeof *block, COUNT);
    free(block);
    unseen_signal(2);
    unseen_wait(3);
    pthread_mutex_lock(&lock);
    __pf_writes(again, sizeof *again, sizeof *again, COUNT);
    unseen_signal(4);
    unseen_wait(5);
    pthread_mutex_unlock(&lock);
    return nothing;
}

static void *second(void *nothing)
{
    free(malloc(1)); /* whatever the heap wants for a thread it has now */
    unseen_signal(1);
    unseen_wait(2);
    pthread_mutex_lock(&lock);
    again = malloc(COUNT * sizeof *again);
    if (again != block) /* then this is no test */
        abort();
    pthread_mutex_unlock(&lock);
    unseen_signal(3);
    unseen_wait(4);
    again[COUNT / 2] = 1;
    unseen_signal(5);
    return nothing;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1); /* both from one heap */
    block = malloc(COUNT * sizeof *block);
    pair(first, second);
    free(again);
    return 0;
}
