/* ppoll() tells that the other end is closed. */
#include "message.h"

#include <poll.h>
#include <unistd.h>

static int fd[2];

static void give(void)
{
    close(fd[1]);
}

static void take(void)
{
    struct timespec long_time = {.tv_sec = 50};
    struct pollfd fds = {.fd = fd[0], .events = POLLIN};
    must(ppoll(&fds, 1, &long_time, NULL) == 1 && fds.revents & POLLHUP);
}

int main(void)
{
    must(pipe(fd) == 0);
    return message();
}
