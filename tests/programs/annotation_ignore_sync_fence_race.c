/* A fence is ignored too. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, ready;

THREAD(writer)
{
    data = 1;
    AnnotateIgnoreSyncBegin(HERE);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    AnnotateIgnoreSyncEnd(HERE);
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
