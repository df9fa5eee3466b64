/* A read, then a fault, and a write that never comes: the read has a race. The program survives the fault. (clang's own
 * pass leaves the read to the write.)
 * compiler: gcc */
#include <setjmp.h>
#include <signal.h>

#include "pair.h"

int x, *nowhere;
static sigjmp_buf before;

static void survive(int signal)
{
    (void)signal;
    siglongjmp(before, 1);
}

static void *first(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

static __attribute__((noinline)) void add(void)
{
    int seen = x;
    int more = *nowhere;
    x = seen + more;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (sigsetjmp(before, 1) == 0)
        add();
    return unused;
}

int main(void)
{
    signal(SIGSEGV, survive);
    pair(first, second);
    return 0;
}
