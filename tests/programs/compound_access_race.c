/* A compound access (x++) that the compiler checks once is a write. */
/* build: -mllvm -tsan-compound-read-before-write */
/* compiler: clang-19 */
#include "threads_together.h"
#include "unseen.h"

static long v;

THREAD(first)
{
    (void)*(volatile long *)&v;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    v++;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
