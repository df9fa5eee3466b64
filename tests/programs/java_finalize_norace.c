/* What was done before a batch of finalizers happens before them. */
#include "java.h"
#include "threads_together.h"
#include "unseen.h"

THREAD(first)
{
    *java_int(64 + 8) = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    __tsan_java_finalize();
    *java_int(64 + 8) = 2;
    return NULL;
}

int main(void)
{
    java_begin();
    __tsan_java_alloc(java_at(64), 32);
    run(first, second);
    return 0;
}
