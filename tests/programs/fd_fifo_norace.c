/* A pipe with a name. */
#include "message.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/pf_fifo_XXXXXX", path[64];

static void give(void)
{
    int fd = open(path, O_WRONLY);
    must(write(fd, "!", 1) == 1);
}

static void take(void)
{
    char c;
    int fd = open(path, O_RDONLY);
    must(read(fd, &c, 1) == 1 && c == '!');
}

int main(void)
{
    must(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/fifo", directory);
    must(mkfifo(path, 0600) == 0);
    message();
    unlink(path);
    rmdir(directory);
    return 0;
}
