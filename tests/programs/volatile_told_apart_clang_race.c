/* volatile accesses that the compiler tells apart are accesses all the same. */
/* build: -mllvm -tsan-distinguish-volatile */
/* compiler: clang-19 */
#include "threads_together.h"
#include "unseen.h"

static volatile int v;

THREAD(first)
{
    v = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    (void)v;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
