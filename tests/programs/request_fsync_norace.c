/* A function that is called in a thread of libc's when a file is on the disk. */
#include "request.h"

#include <aio.h>
#include <fcntl.h>
#include <stdio.h>

static struct aiocb one;

static void ask(void)
{
    must(aio_fsync(O_SYNC, &one) == 0);
}

int main(void)
{
    one.aio_fildes = fileno(tmpfile());
    one.aio_sigevent = calls_done;
    request();
    return 0;
}
