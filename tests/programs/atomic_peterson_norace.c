/* Peterson's lock with sequentially consistent accesses. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "unseen.h"
#include "threads_together.h"

static atomic_int wants[2], turn;
static int count;

static void work(int me)
{
    for (int i = 0; i < 300; i++) {
        wants[me] = 1;
        turn = 1 - me;
        while (wants[1 - me] && turn == 1 - me)
            unseen_yield();
        count++;
        wants[me] = 0;
    }
}

THREAD(first)
{
    work(0);
    return NULL;
}

THREAD(second)
{
    work(1);
    return NULL;
}

int main(void)
{
    run(first, second);
    if (count != 600)
        abort();
    return 0;
}
