/* writev() to readv(). */
#include "message.h"

#include <sys/uio.h>
#include <unistd.h>

static int fd[2];

static void give(void)
{
    struct iovec piece[] = {{"ab", 2}, {NULL, 0}, {"cde", 3}};
    must(writev(fd[1], piece, 3) == 5);
}

static void take(void)
{
    char a[4], b[4];
    struct iovec piece[] = {{a, 4}, {b, 4}};
    must(readv(fd[0], piece, 2) == 5 && b[0] == 'e');
}

int main(void)
{
    must(pipe(fd) == 0);
    return message();
}
