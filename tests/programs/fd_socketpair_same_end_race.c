/* What one thread sends into an end is not what another gets out of it. */
#include "message.h"

#include <sys/socket.h>
#include <unistd.h>

static int fd[2];

static void give(void)
{
    must(send(fd[0], "!", 1, 0) == 1);
    unseen_signal(1);
}

static void take(void)
{
    char c;
    unseen_wait(1);
    must(recv(fd[0], &c, 1, 0) == 1 && c == '?');
}

int main(void)
{
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    must(send(fd[1], "?", 1, 0) == 1);
    return message();
}
