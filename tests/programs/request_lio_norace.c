/* Functions that are called in threads of libc's when one of several requests, and when all of them, are done. */
#include "request.h"

#include <aio.h>
#include <stdio.h>

int y;
static sem_t one_called;

static void one_done(union sigval value)
{
    must(*(const char *)value.sival_ptr == '1');
    unseen_wait(2);
    y = 2;
    sem_post(&one_called);
}

static struct aiocb one = {.aio_buf = (void *)"12345678", .aio_nbytes = 8, .aio_lio_opcode = LIO_WRITE},
                    none = {.aio_lio_opcode = LIO_NOP};

static void ask(void)
{
    struct sigevent event = calls_done;
    struct aiocb *const list[] = {NULL, &one, &none};
#ifndef LATE
    y = 1;
#endif
    must(lio_listio(LIO_NOWAIT, list, 3, &event) == 0);
    memset(&event, 0, sizeof event); /* they have their copy */
}

int main(void)
{
    sem_init(&one_called, 0, 0);
    one.aio_fildes = fileno(tmpfile());
    one.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_THREAD,
                                         .sigev_notify_function = one_done,
                                         .sigev_value.sival_ptr = (void *)"1"};
    request();
    sem_wait(&one_called);
    y = 3;
    return 0;
}
