/* A write under a read lock. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

int mutex, data;

THREAD(writer)
{
    __tsan_mutex_pre_lock(&mutex, __tsan_mutex_read_lock);
    __tsan_mutex_post_lock(&mutex, __tsan_mutex_read_lock, 0);
    (void)*(volatile int *)&data;
    __tsan_mutex_pre_unlock(&mutex, __tsan_mutex_read_lock);
    __tsan_mutex_post_unlock(&mutex, __tsan_mutex_read_lock);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    __tsan_mutex_pre_lock(&mutex, __tsan_mutex_read_lock);
    __tsan_mutex_post_lock(&mutex, __tsan_mutex_read_lock, 0);
    data = 1;
    __tsan_mutex_pre_unlock(&mutex, __tsan_mutex_read_lock);
    __tsan_mutex_post_unlock(&mutex, __tsan_mutex_read_lock);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
