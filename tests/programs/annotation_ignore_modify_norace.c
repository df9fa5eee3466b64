/* A read-modify-write where reads and writes are ignored is as if it were not made. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(first)
{
    AnnotateIgnoreReadsBegin(HERE);
    AnnotateIgnoreWritesBegin(HERE);
    __atomic_fetch_add(&data, 1, __ATOMIC_RELAXED);
    AnnotateIgnoreWritesEnd(HERE);
    AnnotateIgnoreReadsEnd(HERE);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    data++;
    return NULL;
}

int main(void)
{
    run(first, second);
    return data != 2;
}
