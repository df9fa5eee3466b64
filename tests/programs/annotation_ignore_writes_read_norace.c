/* Where writes are to be ignored, so are reads, as in TSan: Archer asks for that around reductions of OpenMP. */
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
    sum += data;
    AnnotateIgnoreWritesEnd(HERE);
    return NULL;
}

int main(void)
{
    run(first, second);
    return sum != 1;
}
