/* Descriptors are closed where nobody sees it (a freopen() that fails, a bare system call), and their numbers are given out again by a
 * call that is not intercepted: they mean something else then, and their old uses say nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int number;

static void *first(void *unused)
{
    FILE *stream = fopen("/dev/null", "w");
    number = fileno(stream);
    fputc('x', stream);
    fflush(stream);
    must(freopen("/nonexistent/file", "r", stream) == NULL);
    number = open("/dev/zero", O_RDONLY);
    must(syscall(SYS_close, number) == 0);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    int fd = memfd_create("another", 0);
    must(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
