/* The region goes on, too, after a handler that jumps back into it. */
#include <setjmp.h>
#include <signal.h>

#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, ready;
static sigjmp_buf back;
static void handler(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

THREAD(first)
{
    AnnotateIgnoreSyncBegin(HERE);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    data = 1;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    AnnotateIgnoreSyncEnd(HERE);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        data = 2;
    return NULL;
}

int main(void)
{
    signal(SIGUSR1, handler);
    run(first, second);
    return 0;
}
