/* A function that is called when something has been read from a pipe. */
#include "to_come.h"

#include <aio.h>
#include <sys/syscall.h>

static int end[2];
static char byte;
static struct aiocb request = {.aio_buf = &byte, .aio_nbytes = 1};

static void ask(void)
{
    must(pipe(end) == 0);
    request.aio_fildes = end[0];
    request.aio_sigevent = calls;
    must(aio_read(&request) == 0);
}

static void come(void)
{
    syscall(SYS_write, end[1], "!", 1);
}
