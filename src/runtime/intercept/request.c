/* Requests that threads of the C library carry out: asynchronous input and output, and names that are looked up. What
 * those threads do to the program's memory is not seen (runtime/completeness.h says so). The functions that they call when
 * a request is done are after whoever made it. */
#include <aio.h>
#include <netdb.h>

#include "runtime/completeness.h"
#include "runtime/intercept/io.h"
#include "runtime/intercept/notice.h"

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one function serves both");

/* --- one request --- */

#define MAKES(request, call)                                                                                 \
    IO(notice_after(t, &(request)->aio_sigevent), call,                                                      \
       if (result != 0) notice_cancel(t, &(request)->aio_sigevent))

#define TRANSFER(name, type)                                                                                 \
    INTERCEPT int name(struct type *request)                                                                 \
    {                                                                                                        \
        unmodelled_note(UNMODELLED_##name, CALLER_PC);                                                       \
        MAKES((struct aiocb *)request, REAL(name)(request));                                                 \
    }
TRANSFER(aio_read, aiocb)
TRANSFER(aio_read64, aiocb64)
TRANSFER(aio_write, aiocb)
TRANSFER(aio_write64, aiocb64)

INTERCEPT int aio_fsync(int operation, struct aiocb *request)
{
    MAKES(request, REAL(aio_fsync)(operation, request));
}

INTERCEPT int aio_fsync64(int operation, struct aiocb64 *request)
{
    MAKES((struct aiocb *)request, REAL(aio_fsync64)(operation, request));
}

/* --- lists --- */

/* After a failure some may have been made: an event stays as it is until it is used again, or called. */
static void all_made(struct thread *t, struct aiocb *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] != NULL && list[i]->aio_lio_opcode != LIO_NOP)
            notice_after(t, &list[i]->aio_sigevent);
}

/* What to give to the real function in place of the event of a whole list, which it copies. */
static struct sigevent *list_event(struct thread *t, const void *list, struct sigevent *event,
                                   struct sigevent *room, uintptr_t pc)
{
    if (event != NULL)
        io_reads(event, sizeof *event, pc);
    return notice_after_list(t, event, list, room);
}

#define LIST(name, type)                                                                                     \
    INTERCEPT int name(int mode, struct type *const list[], int count, struct sigevent *event)               \
    {                                                                                                        \
        struct sigevent room, *given = event;                                                                \
        unmodelled_note(UNMODELLED_##name, CALLER_PC);                                                       \
        IO(                                                                                                  \
            {                                                                                                \
                all_made(t, (struct aiocb *const *)list, count);                                             \
                if (mode == LIO_NOWAIT)                                                                      \
                    given = list_event(t, list, event, &room, pc);                                           \
            },                                                                                               \
            REAL(name)(mode, list, count, given), NOTHING);                                                  \
    }
LIST(lio_listio, aiocb)
LIST(lio_listio64, aiocb64)

INTERCEPT int getaddrinfo_a(int mode, struct gaicb *list[], int count, struct sigevent *event)
{
    struct sigevent room, *given = event;
    IO(if (mode == GAI_NOWAIT) given = list_event(t, list, event, &room, pc),
       REAL(getaddrinfo_a)(mode, list, count, given), NOTHING);
}
