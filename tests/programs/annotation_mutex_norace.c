/* A lock of our own, annotated as a mutex. */
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

THREAD(work)
{
    for (int i = 0; i < 300; i++) {
        __tsan_mutex_pre_lock(&lock, 0);
        while (taken(&lock))
            unseen_yield();
        __tsan_mutex_post_lock(&lock, 0, 0);
        count++;
        __tsan_mutex_pre_unlock(&lock, 0);
        give(&lock);
        __tsan_mutex_post_unlock(&lock, 0);
    }
    return NULL;
}

int main(void)
{
    __tsan_mutex_create(&lock, 0);
    run(work, work);
    __tsan_mutex_destroy(&lock, 0);
    if (count != 600)
        abort();
    return 0;
}
