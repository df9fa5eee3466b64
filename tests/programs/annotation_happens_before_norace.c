/* AnnotateHappensBefore and AnnotateHappensAfter. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(writer)
{
    data = 1;
    AnnotateHappensBefore(HERE, &data);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    AnnotateHappensAfter(HERE, &data);
    data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
