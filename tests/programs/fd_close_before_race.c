/* A descriptor is used, unordered, after another thread has closed it: the call fails, or is about another one. */
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];

static void *first(void *unused)
{
    close(fd[1]);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    must(write(fd[1], "x", 1) == -1);
    return unused;
}

int main(void)
{
    must(pipe(fd) == 0);
    pair(first, second);
    return 0;
}
