/* A region between divert annotations is checked again. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int mutex, data;

THREAD(writer)
{
    __tsan_mutex_pre_lock(&mutex, 0);
    __tsan_mutex_pre_divert(&mutex, 0);
    data = 1;
    __tsan_mutex_post_divert(&mutex, 0);
    __tsan_mutex_post_lock(&mutex, 0, 0);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    __tsan_mutex_pre_signal(&mutex, 0);
    __tsan_mutex_pre_divert(&mutex, 0);
    data = 2;
    __tsan_mutex_post_divert(&mutex, 0);
    __tsan_mutex_post_signal(&mutex, 0);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
