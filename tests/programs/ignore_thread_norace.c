/* Regions that the compiler marks as not to be checked. */
#include "threads_together.h"
#include "unseen.h"

void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);

int x;

THREAD(first)
{
    __tsan_ignore_thread_begin();
    x = 1;
    __tsan_ignore_thread_end();
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    x = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
