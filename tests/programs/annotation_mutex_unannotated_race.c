/* The same lock without annotations: nobody can know. */
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

/* Its own code is plain assembly: what the detector knows of it is what it is told. */
struct lock {
    int held;
};

UNSEEN int taken(struct lock *l)
{
    int old = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(l->held) : : "memory");
    return old;
}

UNSEEN void give(struct lock *l)
{
    __asm__ volatile("movl $0, %0" : "=m"(l->held) : : "memory");
}

static struct lock lock;
int count;

static void work(void)
{
    while (taken(&lock))
        unseen_yield();
    count++;
    give(&lock);
}

THREAD(first)
{
    work();
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    work();
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
