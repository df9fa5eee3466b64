/* Messages to a UNIX socket that is bound by one name and reached by another. */
#include "message.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int receiver;
static char directory[] = "/tmp/pf_unix_XXXXXX";

static void give(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "./in"};
    struct iovec piece = {"!", 1};
    struct msghdr m = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &piece, .msg_iovlen = 1};
    must(sendmsg(socket(AF_UNIX, SOCK_DGRAM, 0), &m, 0) == 1);
}

static void take(void)
{
    char c;
    must(recv(receiver, &c, 1, 0) == 1);
}

int main(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    must(mkdtemp(directory) != NULL && chdir(directory) == 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s/in", directory);
    receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    must(bind(receiver, (struct sockaddr *)&name, sizeof name) == 0);
    message();
    unlink(name.sun_path);
    rmdir(directory);
    return 0;
}
