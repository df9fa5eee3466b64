/* Whoever reads from a pipe is after whoever wrote into it. */
#include "message.h"

#include <unistd.h>

static int fd[2];

static void give(void)
{
    must(write(fd[1], "!", 1) == 1);
}

static void take(void)
{
    char c;
    must(read(fd[0], &c, 1) == 1 && c == '!');
}

int main(void)
{
    must(pipe(fd) == 0);
    return message();
}
