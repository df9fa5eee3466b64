/* Whoever reads the end of a pipe is after whoever closed it. */
#include "message.h"

#include <fcntl.h>
#include <unistd.h>

static int fd[2];

static void give(void)
{
    must(close(fd[1]) == 0);
}

static void take(void)
{
    char c;
    must(read(fd[0], &c, 1) == 0);
}

int main(void)
{
    must(pipe2(fd, O_CLOEXEC) == 0);
    return message();
}
