/* A thread-local variable whose address another thread gets to know. */
#include "pair.h"

static __thread volatile int own;
static volatile int *address;

static void *first(void *unused)
{
    volatile int *mine = &own;
    __asm__ volatile("movq %1, %0" : "=m"(address) : "r"(mine) : "memory");
    own = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void *second(void *unused)
{
    volatile int *theirs;
    unseen_wait(1);
    __asm__ volatile("movq %1, %0" : "=r"(theirs) : "m"(address) : "memory");
    *theirs = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
