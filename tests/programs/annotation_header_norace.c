/* <photofinish/annotate.h>, with the detector there. */
#include <photofinish/annotate.h>

#include "threads_together.h"
#include "unseen.h"

int handle, data, ignored, benign;

THREAD(writer)
{
    PF_THREAD_NAME("writer");
    data = 1;
    PF_RELEASE(&handle);
    PF_IGNORE_BEGIN();
    ignored = 1;
    PF_IGNORE_END();
    PF_BENIGN_RACE(&benign, sizeof benign, "on purpose");
    benign = 1;
    PF_IGNORE_SYNC_BEGIN();
    PF_IGNORE_SYNC_END();
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (!PF_RUNNING())
        __builtin_trap();
    PF_ACQUIRE(&handle);
    data = 2;
    ignored = 2;
    benign = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
