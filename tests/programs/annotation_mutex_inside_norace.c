/* What the code of an annotated lock does itself is left out, plain or not. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int mutex, data, spins;

THREAD(writer)
{
    __tsan_mutex_pre_lock(&mutex, 0);
    spins++;
    __tsan_mutex_post_lock(&mutex, 0, 0);
    data = 1;
    __tsan_mutex_pre_unlock(&mutex, 0);
    spins++;
    __tsan_mutex_post_unlock(&mutex, 0);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    __tsan_mutex_pre_lock(&mutex, 0);
    spins++;
    __tsan_mutex_post_lock(&mutex, 0, 0);
    data = 2;
    __tsan_mutex_pre_unlock(&mutex, 0);
    __tsan_mutex_post_unlock(&mutex, 0);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
