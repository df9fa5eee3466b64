/* Two threads close a descriptor: the second may be somebody else's by then. */
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];

static void *first(void *unused)
{
    close(fd[0]);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    must(close(fd[0]) == -1);
    return unused;
}

int main(void)
{
    must(pipe(fd) == 0);
    pair(first, second);
    return 0;
}
