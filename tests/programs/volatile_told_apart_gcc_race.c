/* volatile accesses that the compiler tells apart are accesses all the same. */
/* build: --param tsan-distinguish-volatile=1 */
/* compiler: gcc */
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
    v = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
