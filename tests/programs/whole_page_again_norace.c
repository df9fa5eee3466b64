/* Memory that was written as whole pages is given back and given out again, to another thread: nothing of it is left. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { SIZE = 100000 };

char *block, *again;

static void *first(void *nothing)
{
    unseen_wait(1);
    memset(block, 1, SIZE);
    free(block);
    unseen_signal(2);
    return nothing;
}

static void *second(void *nothing)
{
    void *volatile some = malloc(1);
    free(some); /* whatever the heap wants for a thread it has now */
    unseen_signal(1);
    unseen_wait(2);
    again = malloc(SIZE);
    if (again != block) /* then this is no test */
        abort();
    again[5000] = 1;
    memset(again, 2, SIZE);
    again[50000] = 1;
    free(again);
    return nothing;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    block = malloc(SIZE);
    pair(first, second);
    return 0;
}
