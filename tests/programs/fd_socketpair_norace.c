/* send() into one end, recv() from the other. */
#include "message.h"

#include <sys/socket.h>
#include <unistd.h>

static int fd[2];

static void give(void)
{
    must(send(fd[0], "!", 1, 0) == 1);
}

static void take(void)
{
    char c;
    must(recv(fd[1], &c, 1, 0) == 1 && c == '!');
}

int main(void)
{
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    return message();
}
