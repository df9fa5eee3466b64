/* What is registered while another thread waits happens before its return. */
#include "message.h"

#include <sys/epoll.h>
#include <unistd.h>

static int epoll, fd[2];

static void give(void)
{
    struct epoll_event event = {.events = EPOLLOUT, .data.fd = fd[1]};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[1], &event) == 0);
}

static void take(void)
{
    struct epoll_event event[4];
    must(epoll_pwait(epoll, event, 4, -1, NULL) == 1 && event[0].data.fd == fd[1]);
}

int main(void)
{
    must(pipe(fd) == 0 && (epoll = epoll_create(1)) >= 0);
    return message();
}
