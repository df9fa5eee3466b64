/* An event of one pipe says nothing of another that is watched with it. */
#include "message.h"

#include <sys/epoll.h>
#include <unistd.h>

static int epoll, a[2], b[2];

static void give(void)
{
    must(write(a[1], "!", 1) == 1);
    unseen_signal(1);
}

static void take(void)
{
    struct epoll_event event;
    do {
        must(epoll_wait(epoll, &event, 1, -1) == 1);
    } while (event.data.fd != b[0]);
    unseen_wait(1);
}

int main(void)
{
    must(pipe(a) == 0 && pipe(b) == 0 && (epoll = epoll_create1(0)) >= 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = b[0]};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, b[0], &event) == 0);
    must(write(b[1], "?", 1) == 1);
    event.data.fd = a[0];
    event.events = EPOLLOUT; /* of the reading end: never */
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, a[0], &event) == 0);
    return message();
}
