/* A recursive lock that gives up all its levels at once and takes them again. */
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

int mutex, data;

static void lock(int levels)
{
    unsigned flags = levels > 1 ? __tsan_mutex_recursive_lock : 0;
    __tsan_mutex_pre_lock(&mutex, flags);
    __tsan_mutex_post_lock(&mutex, flags, levels);
}

static int unlock(unsigned flags)
{
    int levels = __tsan_mutex_pre_unlock(&mutex, flags);
    __tsan_mutex_post_unlock(&mutex, flags);
    return levels;
}

THREAD(first)
{
    lock(1);
    lock(1);
    data = 1;
    unlock(0);
    lock(1);
    data = 2;
    if (unlock(__tsan_mutex_recursive_unlock) != 2)
        abort();
    unseen_signal(1);
    unseen_wait(2);
    lock(2);
    data = 3;
    if (unlock(0) != 1 || unlock(0) != 1)
        abort();
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    lock(1);
    data = 4;
    unlock(0);
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    __tsan_mutex_create(&mutex, __tsan_mutex_write_reentrant);
    run(first, second);
    return 0;
}
