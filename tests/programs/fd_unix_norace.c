/* A UNIX socket with a name: client to server, server to client. */
#include "message.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener;
static struct sockaddr_un name = {.sun_family = AF_UNIX};

static void give(void)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    must(fd >= 0 && read(fd, &c, 1) == 1);
    must(write(fd, "!", 1) == 1);
}

static void take(void)
{
    char c;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    must(write(fd, "?", 1) == 1 && read(fd, &c, 1) == 1 && c == '!');
}

int main(void)
{
    char directory[] = "/tmp/pf_unix_XXXXXX";
    must(mkdtemp(directory) != NULL);
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", directory);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 5) == 0);
    message();
    unlink(name.sun_path);
    rmdir(directory);
    return 0;
}
