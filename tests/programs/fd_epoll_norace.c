/* epoll_wait() tells of a counter that nobody reads; its data is a pointer. */
#include "message.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int epoll, fd, other;

static void give(void)
{
    must(eventfd_write(fd, 1) == 0);
}

static void take(void)
{
    struct epoll_event event;
    must(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.ptr == &fd);
}

int main(void)
{
    fd = eventfd(0, 0);
    other = eventfd(0, 0);
    must((epoll = epoll_create1(0)) >= 0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = &epoll};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 &&
         epoll_ctl(epoll, EPOLL_CTL_ADD, other, &event) == 0);
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == -1); /* already there: what is known stays */
    event.data.ptr = &fd;
    must(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) == 0);
    return message();
}
