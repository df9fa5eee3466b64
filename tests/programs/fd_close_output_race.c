/* Standard output is closed, unordered, after another thread has used it. */
#include <unistd.h>

#include "must.h"
#include "pair.h"

static char c;

static void *first(void *unused)
{
    must(write(1, &c, 0) == 0);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    close(1);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
