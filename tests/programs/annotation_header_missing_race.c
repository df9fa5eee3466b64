/* <photofinish/annotate.h>: without the acquire there is a race. */
#include <photofinish/annotate.h>

#include "threads_together.h"
#include "unseen.h"

int handle, data;

THREAD(writer)
{
    data = 1;
    PF_RELEASE(&handle);
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
