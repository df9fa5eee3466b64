/* A signal handler is not part of the region that it interrupts: it synchronizes. */
#include <signal.h>

#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, ready;

static void handler(int number)
{
    (void)number;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

THREAD(first)
{
    data = 1;
    AnnotateIgnoreSyncBegin(HERE);
    raise(SIGUSR1);
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
