/* A race next to memory that is annotated as benign. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data[2];

THREAD(writer)
{
    AnnotateBenignRaceSized(HERE, &data[1], sizeof data[1], "statistics");
    data[0] = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    data[0] = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
