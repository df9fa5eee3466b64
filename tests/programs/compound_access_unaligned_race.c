/* The same, unaligned. */
/* build: -mllvm -tsan-compound-read-before-write */
/* compiler: clang-19 */
#include "threads_together.h"
#include "unseen.h"

struct {
    char c;
    long v;
} __attribute__((packed)) p;
long seen;

THREAD(first)
{
    seen = p.v;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    p.v++;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
