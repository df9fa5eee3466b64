/* A number that nobody has closed meanwhile orders nothing. */
#include "message.h"

#include <fcntl.h>
#include <unistd.h>

static int fd, other;

static void give(void)
{
    must(close(other) == 0);
}

static void take(void)
{
    must(open("/dev/null", O_RDONLY | O_CLOEXEC) == fd);
}

int main(void)
{
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && other > fd && close(fd) == 0);
    return message();
}
