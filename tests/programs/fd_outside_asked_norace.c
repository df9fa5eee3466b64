/* One thread asks another process that has connected to this one, another gets the answer. */
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

static void echo(const address *name, socklen_t size)
{
    char c;
    int to = socket(FAMILY, SOCK_STREAM, 0);
    if (connect(to, (const struct sockaddr *)name, size) != 0 || read(to, &c, 1) != 1 ||
        write(to, &c, 1) != 1)
        _exit(1);
    _exit(0);
}

int main(void)
{
    int listener = socket(FAMILY, SOCK_STREAM, 0);
    address name = {FAMILY};
    socklen_t size = sizeof name;
    must(bind(listener, (struct sockaddr *)&name, FAMILY == AF_UNIX ? sizeof(sa_family_t) : size) == 0);
    must(listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    if (fork() == 0)
        echo(&name, size);
    must((fd = accept(listener, NULL, NULL)) >= 0);
    return message();
}
