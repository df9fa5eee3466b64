/* Requests that threads of the C library carry out: asynchronous input and output, and names that are looked up. What
 * those threads do to the program's memory is not seen (runtime/completeness.h says so). The functions that they call when
 * a request is done are after whoever made it. */
#include <aio.h>
#include <netdb.h>

#include "runtime/completeness.h"
#include "runtime/intercept/io.h"
#include "runtime/intercept/notice.h"

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one function serves both");

static uint32_t request_peg(const void *request)
{
    return peg(PEG_REQUEST, (uintptr_t)request / 16); /* as malloc aligns them */
}

/* --- one request --- */

static void made(struct thread *t, struct aiocb *request)
{
    peg_release(t, request_peg(request));
    notice_wrap(t, &request->aio_sigevent, request_peg(request));
}

static void not_made(struct thread *t, struct aiocb *request)
{
    notice_unwrap(t, &request->aio_sigevent);
}

#define MAKES(request, call) IO(made(t, request), call, if (result != 0) not_made(t, request))

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
            made(t, list[i]);
}

/* What to give to the real function in place of the event of a whole list, which it copies. */
static struct sigevent *list_event(struct thread *t, const void *list, struct sigevent *event,
                                   struct sigevent *room, uintptr_t pc)
{
    if (event != NULL)
        io_reads(event, sizeof *event, pc);
    peg_release(t, request_peg(list));
    return notice_wrapped(t, event, request_peg(list), room);
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
