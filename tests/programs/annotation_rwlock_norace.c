/* A reader-writer lock told by AnnotateRWLock*. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, lock;

THREAD(writer)
{
    AnnotateRWLockCreate(HERE, &lock);
    AnnotateRWLockAcquired(HERE, &lock, 0);
    (void)*(volatile int *)&data;
    AnnotateRWLockReleased(HERE, &lock, 0);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    AnnotateRWLockAcquired(HERE, &lock, 1);
    data = 2;
    AnnotateRWLockReleased(HERE, &lock, 1);
    AnnotateRWLockDestroy(HERE, &lock);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
