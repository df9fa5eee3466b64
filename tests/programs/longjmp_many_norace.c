/* longjmp() skips the ends of functions, millions of times. */
#include <setjmp.h>

#include "threads_together.h"

static jmp_buf start;
static int steps[64];

__attribute__((noinline)) static void deep(int depth)
{
    if (depth > 0)
        deep(depth - 1);
    for (int i = 0; i < 4; i++)
        ++*(volatile int *)&steps[i];
    longjmp(start, 1);
}

THREAD(jumper)
{
    for (volatile int i = 0; i < 1000000; i++)
        if (setjmp(start) == 0)
            deep(5);
    return NULL;
}

int main(void)
{
    run(jumper);
    return 0;
}
