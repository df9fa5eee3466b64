/* __sync_synchronize() is a fence. */
#include "threads_together.h"
#include "unseen.h"

static int ready, data;

THREAD(writer)
{
    data = 42;
    __sync_synchronize();
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
        __sync_synchronize();
        return data == 42 ? NULL : &data;
    }
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
