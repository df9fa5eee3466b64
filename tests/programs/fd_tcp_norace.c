/* A TCP connection within the process: client to server. */
#include "message.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static struct sockaddr_in name = {.sin_family = AF_INET};

static void give(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = name;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    must(sendto(fd, "!", 1, 0, (struct sockaddr *)&to, sizeof to) == 1); /* the address does not matter */
    close(fd);
}

static void take(void)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    must(fd >= 0 && read(fd, &c, 1) == 1 && c == '!');
}

int main(void)
{
    socklen_t size = sizeof name;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 5) == 0);
    must(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    return message();
}
