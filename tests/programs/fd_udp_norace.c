/* A message to a port of the process; the receiver is bound to any address. */
#include "message.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static int receiver;
static struct sockaddr_in name = {.sin_family = AF_INET};

static void give(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = name;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(sendto(fd, "!", 1, 0, (struct sockaddr *)&to, sizeof to) == 1);
}

static void take(void)
{
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    char c;
    must(recvfrom(receiver, &c, 1, 0, (struct sockaddr *)&from, &size) == 1 && size == sizeof from);
}

int main(void)
{
    socklen_t size = sizeof name;
    receiver = socket(AF_INET, SOCK_DGRAM, 0);
    must(bind(receiver, (struct sockaddr *)&name, sizeof name) == 0);
    must(getsockname(receiver, (struct sockaddr *)&name, &size) == 0);
    return message();
}
