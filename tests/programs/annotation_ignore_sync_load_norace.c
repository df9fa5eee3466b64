/* A value that is loaded where synchronization is ignored teaches nothing; loaded again afterwards, it does. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, flag;

THREAD(first)
{
    data = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    AnnotateIgnoreSyncBegin(HERE);
    int early = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    AnnotateIgnoreSyncEnd(HERE);
    if (early == 1 && __atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 1)
        data = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return data != 2;
}
