/* __tsan_release and __tsan_acquire of one address order two threads. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int handle, data;

THREAD(writer)
{
    data = 1;
    __tsan_release(&handle);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    __tsan_acquire(&handle);
    data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
