/* Registering one descriptor says nothing to whoever gets an event of another. */
#include "message.h"

#include <sys/epoll.h>
#include <unistd.h>

static int epoll, a[2], b[2];

static void give(void)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = a[0]};
    must(epoll_ctl(epoll, EPOLL_CTL_MOD, a[0], &event) == 0);
    unseen_signal(1);
}

static void take(void)
{
    struct epoll_event event;
    unseen_wait(1);
    must(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.fd == b[0]);
}

int main(void)
{
    must(pipe(a) == 0 && pipe(b) == 0 && (epoll = epoll_create1(0)) >= 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = a[0]};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, a[0], &event) == 0);
    event.data.fd = b[0];
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, b[0], &event) == 0 && write(b[1], "!", 1) == 1);
    return message();
}
