/* A read that is to be ignored. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(writer)
{
    data = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    AnnotateIgnoreReadsBegin(HERE);
    (void)*(volatile int *)&data;
    AnnotateIgnoreReadsEnd(HERE);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
