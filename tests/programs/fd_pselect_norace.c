/* The same with pselect(), and a descriptor of a high number that is not ready. */
#include "message.h"

#include <sys/select.h>
#include <unistd.h>

static int fd[2], other[2];

static void give(void)
{
    must(write(fd[1], "!", 1) == 1);
}

static void take(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd[0], &set);
    FD_SET(500, &set);
    must(pselect(501, &set, NULL, NULL, NULL, NULL) == 1 && FD_ISSET(fd[0], &set) && !FD_ISSET(500, &set));
}

int main(void)
{
    must(pipe(fd) == 0 && pipe(other) == 0 && dup2(other[0], 500) == 500);
    return message();
}
