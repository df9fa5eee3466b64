/* A lock of one byte at an odd address. */
#include <sanitizer/tsan_interface.h>

#include "threads_together.h"
#include "unseen.h"

char lock[4];
int data;

THREAD(writer)
{
    __tsan_mutex_pre_lock(&lock[1], 0);
    __tsan_mutex_post_lock(&lock[1], 0, 0);
    data = 1;
    __tsan_mutex_pre_unlock(&lock[1], 0);
    __tsan_mutex_post_unlock(&lock[1], 0);
    __tsan_mutex_pre_lock(&lock[0], 0);
    __tsan_mutex_post_lock(&lock[0], 0, 0);
    __tsan_mutex_pre_unlock(&lock[0], 0);
    __tsan_mutex_post_unlock(&lock[0], 0);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    __tsan_mutex_pre_lock(&lock[1], 0);
    __tsan_mutex_post_lock(&lock[1], 0, 0);
    data = 2;
    __tsan_mutex_pre_unlock(&lock[1], 0);
    __tsan_mutex_post_unlock(&lock[1], 0);
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
