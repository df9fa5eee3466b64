/* A descriptor is closed, and its number opened again, while another thread is about to use it. */
#include <fcntl.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2];
static char c;

static void *first(void *unused)
{
    close(fd[0]);
    must(open("/dev/zero", O_RDONLY) == fd[0]);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    must(read(fd[0], &c, 1) == 1);
    return unused;
}

int main(void)
{
    must(pipe(fd) == 0);
    pair(first, second);
    return 0;
}
