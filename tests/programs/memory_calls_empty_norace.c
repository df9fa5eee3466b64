/* memcpy, memmove and memset of nothing touch nothing. */
#include <string.h>

#include "threads_together.h"
#include "unseen.h"

char from[100], to[100];
static const volatile size_t none = 0;

THREAD(first)
{
    memcpy(to, from, none);
    memmove(to, from, none);
    memset(to, 0, none);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    from[0] = to[0] = 1;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
