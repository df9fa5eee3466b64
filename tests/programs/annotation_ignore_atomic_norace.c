/* An atomic access that is to be ignored. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(writer)
{
    AnnotateIgnoreWritesBegin(HERE);
    __atomic_store_n(&data, 1, __ATOMIC_RELAXED);
    AnnotateIgnoreWritesEnd(HERE);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
