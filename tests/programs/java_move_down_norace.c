/* The same, and other bytes. */
#include "java.h"
#include "threads_together.h"
#include "unseen.h"

THREAD(first)
{
    *java_int(64) = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    __tsan_java_move(java_at(64), java_at(56), 32);
    *java_int(64) = 2; /* where the write was before */
    *java_int(56 + 32) = 2;
    return NULL;
}

int main(void)
{
    java_begin();
    __tsan_java_alloc(java_at(64), 32);
    run(first, second);
    return 0;
}
