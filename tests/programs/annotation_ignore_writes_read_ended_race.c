/* Reads count again where the region ends. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data, sum;

THREAD(first)
{
    data = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    AnnotateIgnoreWritesBegin(HERE);
    AnnotateIgnoreWritesEnd(HERE);
    sum += data;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
