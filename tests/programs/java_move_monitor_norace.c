/* A monitor moves with its object. */
#include "java.h"
#include "threads_together.h"
#include "unseen.h"

THREAD(first)
{
    __tsan_java_mutex_lock(java_at(64));
    *java_int(64 + 8) = 1;
    __tsan_java_mutex_unlock(java_at(64));
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    __tsan_java_move(java_at(64), java_at(1024), 32);
    __tsan_java_mutex_lock(java_at(1024));
    *java_int(1024 + 8) = 2;
    __tsan_java_mutex_unlock(java_at(1024));
    return NULL;
}

int main(void)
{
    java_begin();
    __tsan_java_alloc(java_at(64), 32);
    run(first, second);
    return 0;
}
