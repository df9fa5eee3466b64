/* A C11 condition variable is destroyed, unordered, after another thread has signalled it. */
#include <threads.h>

#include "pair.h"

static cnd_t c;

static void *first(void *unused)
{
    cnd_signal(&c);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    cnd_destroy(&c);
    return unused;
}

int main(void)
{
    cnd_init(&c);
    pair(first, second);
    return 0;
}
