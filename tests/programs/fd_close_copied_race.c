/* A descriptor is closed, unordered, after another thread has copied it. */
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];
int copy;

static void *first(void *unused)
{
    copy = dup(fd[0]);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    close(fd[0]);
    return unused;
}

int main(void)
{
    must(pipe(fd) == 0);
    pair(first, second);
    return 0;
}
