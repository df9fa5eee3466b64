/* A race on memory that is annotated as benign. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(writer)
{
    AnnotateBenignRaceSized(HERE, &data, sizeof data, "statistics");
    data = 1;
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
