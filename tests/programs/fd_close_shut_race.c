/* A socket is closed, unordered, after another thread has shut it down. */
#include <sys/socket.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];

static void *first(void *unused)
{
    must(shutdown(fd[0], SHUT_RDWR) == 0);
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
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    pair(first, second);
    return 0;
}
