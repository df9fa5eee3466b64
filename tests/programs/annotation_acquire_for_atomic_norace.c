/* __tsan_acquire in place of an acquire fence, as code for other detectors has it. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int handle, data;

THREAD(writer)
{
    data = 1;
    __atomic_store_n(&handle, 1, __ATOMIC_RELEASE);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (__atomic_load_n(&handle, __ATOMIC_RELAXED)) {
        __tsan_acquire(&handle);
        data = 2;
    }
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
