/* One thread asks another process, another gets the answer: through the same connection they are ordered. */
#include "message.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef BY_NAME
#define FAMILY AF_UNIX
typedef struct sockaddr_un address;
#else
#define FAMILY AF_INET
typedef struct sockaddr_in address;
#endif

static int fd;

static void give(void)
{
    must(send(fd, "?", 1, 0) == 1);
}

static void take(void)
{
    char c;
    must(recv(fd, &c, 1, 0) == 1 && c == '?');
}

static void echo(int listener)
{
    char c;
    int to = accept(listener, NULL, NULL);
    if (read(to, &c, 1) != 1 || write(to, &c, 1) != 1)
        _exit(1);
    _exit(0);
}

int main(void)
{
    int listener = socket(FAMILY, SOCK_STREAM, 0);
    address name = {FAMILY};
    socklen_t size = sizeof name;
    /* a UNIX socket that is bound to its family alone gets a name of its own */
    must(bind(listener, (struct sockaddr *)&name, FAMILY == AF_UNIX ? sizeof(sa_family_t) : size) == 0);
    must(listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    if (fork() == 0)
        echo(listener);
    close(listener);
    fd = socket(FAMILY, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&name, size) == 0);
    return message();
}
