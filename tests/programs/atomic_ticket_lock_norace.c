/* A ticket lock: relaxed tickets, the turn is handed on with release. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static atomic_uint next, turn;
static int count;

THREAD(work)
{
    for (int i = 0; i < 300; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
            unseen_yield();
        count++;
        atomic_store_explicit(&turn, mine + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    run(work, work, work);
    if (count != 900)
        abort();
    return 0;
}
