/* __tsan_release in place of a release fence; the relaxed store after it does not undo it. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int handle, data;

THREAD(writer)
{
    data = 1;
    __tsan_release(&handle);
    __atomic_store_n(&handle, 1, __ATOMIC_RELAXED);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (__atomic_load_n(&handle, __ATOMIC_ACQUIRE))
        data = 2;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
