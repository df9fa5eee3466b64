/* All descriptors from one on are closed, unordered, after another thread has used one of them. */
#define _GNU_SOURCE
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];

static void *first(void *unused)
{
    must(write(fd[1], "x", 1) == 1);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    must(close_range((unsigned)fd[0], (unsigned)fd[1], 0) == 0);
    return unused;
}

int main(void)
{
    must(pipe(fd) == 0);
    pair(first, second);
    return 0;
}
