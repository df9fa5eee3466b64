/* Many pipes and counters come and go, their numbers are used again for something else, and each orders as it
 * should. */
#include "message.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 500 };
static int from[2], to[2]; /* pipes for numbers of descriptors, which hand over `x` at the same time */
static int epoll;

static void give(void)
{
    int fd[2];
    for (int i = 0; i < ROUNDS; i++) {
        int answer;
        eventfd_t value;
        x++;
        switch (i % 4) {
        case 0:
            must(pipe(fd) == 0);
            break;
        case 1:
            must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
            break;
        case 2:
            must((fd[0] = eventfd(0, 0)) >= 0 && (fd[1] = dup(fd[0])) >= 0);
            break;
        default:
            must((fd[0] = eventfd(0, 0)) >= 0 && (fd[1] = fcntl(fd[0], F_DUPFD, 700)) >= 700);
            break;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)(i % 3)};
        must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[0], &event) == 0);
        must(write(from[1], fd, sizeof fd) == sizeof fd);
        value = 1;
        must(write(fd[1], &value, sizeof value) == sizeof value);
        must(read(to[0], &answer, sizeof answer) == sizeof answer && answer == i);
        must(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.u64 == (uint64_t)(i % 3));
        close(fd[0]);
        close(fd[1]);
    }
}

static void take(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int fd[2];
        struct epoll_event event;
        must(read(from[0], fd, sizeof fd) == sizeof fd);
        must(epoll_wait(epoll, &event, 1, -1) == 1);
        x++;
        must(write(to[1], &i, sizeof i) == sizeof i);
    }
}

int main(void)
{
    must(pipe(from) == 0 && pipe(to) == 0 && (epoll = epoll_create1(0)) >= 0);
    message();
    return x == 0;
}
