/* Acquiring another address. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int handle, other, data;

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
    __tsan_acquire(&other);
    data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
