/* A write while the lock is held for reading only. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, lock;

THREAD(writer)
{
    AnnotateRWLockAcquired(HERE, &lock, 0);
    (void)*(volatile int *)&data;
    AnnotateRWLockReleased(HERE, &lock, 0);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    AnnotateRWLockAcquired(HERE, &lock, 0);
    data = 2;
    AnnotateRWLockReleased(HERE, &lock, 0);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
