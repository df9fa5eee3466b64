/* A thread waits for a connection, and another closes the socket: in whichever order they come. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd, end;

static void *acceptor(void *unused)
{
    unseen_signal(1);
    accept(fd, NULL, NULL);
    return unused;
}

static void *closer(void *unused)
{
    unseen_wait(1);
    close(fd);
    shutdown(end, SHUT_RDWR); /* the same socket: the other thread returns */
    return unused;
}

int main(void)
{
    fd = socket(AF_INET, SOCK_STREAM, 0);
    end = dup(fd);
    must(listen(fd, 1) == 0);
    pair(acceptor, closer);
    return 0;
}
