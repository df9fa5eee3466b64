/* Whoever accepts a connection is after whoever asked for it. IPv6 listens, IPv4 connects. */
#include "message.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static struct sockaddr_in6 name = {.sin6_family = AF_INET6};

static void give(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = name.sin6_port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    must(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static void take(void)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    must(accept4(listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC) >= 0);
}

int main(void)
{
    socklen_t size = sizeof name;
    listener = socket(AF_INET6, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) != 0) {
        /* no IPv6 here: IPv4 for both */
        struct sockaddr_in *other = (struct sockaddr_in *)&name;
        name = (struct sockaddr_in6){.sin6_family = AF_INET};
        listener = socket(AF_INET, SOCK_STREAM, 0);
        must(bind(listener, (struct sockaddr *)other, sizeof *other) == 0);
    }
    must(listen(listener, 5) == 0 && getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    return message();
}
