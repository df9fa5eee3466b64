/* memcpy reads and writes, whether the compiler calls it by its own name or another. */
/* compiler: clang-19 */
#include <string.h>

#include "threads_together.h"
#include "unseen.h"

char from[100], to[100];
static volatile size_t size = 100;

THREAD(first)
{
    memcpy(to, from, size);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    from[size - 1] = 1;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
