/* A function that is called in a thread of libc's when a file has been written; the request is used again. */
#include "request.h"

#include <aio.h>
#include <stdio.h>

static struct aiocb64 one = {.aio_buf = (void *)"12345678", .aio_nbytes = 8};

static void ask(void)
{
    must(aio_write64(&one) == 0);
}

static int is_ours(void)
{
    const struct sigevent *e = &one.aio_sigevent;
    return e->sigev_notify == SIGEV_THREAD && e->sigev_notify_function == done &&
           e->sigev_value.sival_int == 5;
}

int main(void)
{
    one.aio_fildes = fileno(tmpfile());
    one.aio_sigevent = calls_done;
    for (int i = 0; i < 3; i++) {
        request();
        must(is_ours());
        must(aio_error64(&one) == 0 && aio_return64(&one) == 8);
        unseen_signal(0);
    }
    one.aio_reqprio = -1; /* refused: nothing is called */
    must(aio_write64(&one) == -1 && is_ours());
    return 0;
}
