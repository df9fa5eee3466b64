/* A descriptor is closed, unordered, after another thread has registered it with an epoll. */
#include <sys/epoll.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2], epoll;

static void *first(void *unused)
{
    struct epoll_event event = {.events = EPOLLIN};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[0], &event) == 0);
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
    epoll = epoll_create1(0);
    pair(first, second);
    return 0;
}
