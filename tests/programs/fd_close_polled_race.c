/* A descriptor is closed, unordered, after another thread has waited for it among others. */
#include <poll.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];

static void *first(void *unused)
{
    struct pollfd one = {.fd = fd[0], .events = POLLIN};
    must(poll(&one, 1, 0) == 0);
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
