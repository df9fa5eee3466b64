/* Another process asks on one connection, and when it has its answer, on a second one. Two threads that serve
 * the two have no order but that. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

int x;

#ifdef BY_NAME
#define FAMILY AF_UNIX
typedef struct sockaddr_un address;
#else
#define FAMILY AF_INET
typedef struct sockaddr_in address;
#endif

static int fd[2];

static void serve(int which)
{
    char c;
    must(read(fd[which], &c, 1) == 1);
}

static void *first(void *unused)
{
    serve(0);
    x = 1;
    must(write(fd[0], "!", 1) == 1);
    return unused;
}

static void *second(void *unused)
{
    serve(1);
    x = 2;
    return unused;
}

static void give(void)
{
}
static void take(void)
{
}

static void ask(address *name, socklen_t size)
{
    char c;
    int to[2];
    for (int i = 0; i < 2; i++) {
        to[i] = socket(FAMILY, SOCK_STREAM, 0);
        if (connect(to[i], (struct sockaddr *)name, size) != 0)
            _exit(1);
    }
    if (write(to[0], "?", 1) != 1 || read(to[0], &c, 1) != 1 || write(to[1], "?", 1) != 1)
        _exit(1);
    _exit(0);
}

int main(void)
{
    int listener = socket(FAMILY, SOCK_STREAM, 0);
    address name = {FAMILY};
    socklen_t size = sizeof name;
    must(bind(listener, (struct sockaddr *)&name, FAMILY == AF_UNIX ? sizeof(sa_family_t) : size) == 0);
    must(listen(listener, 2) == 0 && getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    if (fork() == 0)
        ask(&name, size);
    must((fd[0] = accept(listener, NULL, NULL)) >= 0 && (fd[1] = accept(listener, NULL, NULL)) >= 0);
    pair(first, second);
    return 0;
}
