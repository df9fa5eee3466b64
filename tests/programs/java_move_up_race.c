/* Objects slide up by less than their size: the last bytes of the one that moved are where its last bytes are now. */
#include "java.h"
#include "threads_together.h"
#include "unseen.h"

THREAD(first)
{
    *java_int(64 + 24) = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    __tsan_java_move(java_at(64), java_at(72), 32);
    *java_int(72 + 24) = 2;
    return NULL;
}

int main(void)
{
    java_begin();
    __tsan_java_alloc(java_at(64), 32);
    run(first, second);
    return 0;
}
