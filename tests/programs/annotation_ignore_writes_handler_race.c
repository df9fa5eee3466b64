/* A handler that interrupts a region without checks is checked. */
#include <signal.h>

#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

static void handler(int number)
{
    (void)number;
    data = 1;
}

THREAD(first)
{
    AnnotateIgnoreWritesBegin(HERE);
    raise(SIGUSR1);
    AnnotateIgnoreWritesEnd(HERE);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    data = 2;
    return NULL;
}

int main(void)
{
    signal(SIGUSR1, handler);
    run(first, second);
    return 0;
}
