/* Message queues, and System V's semaphores: one object each. A message queue of POSIX is a file descriptor.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"
#include "runtime/intercept/notice.h"

/* --- POSIX --- */

INTERCEPT mqd_t mq_open(const char *name, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    bool may_make = (flags & O_CREAT) != 0;
    mode_t mode = may_make ? va_arg(arguments, mode_t) : 0;
    struct mq_attr *attributes = may_make ? va_arg(arguments, struct mq_attr *) : NULL;
    va_end(arguments);
    IO(
        NOTHING, REAL(mq_open)(name, flags, mode, attributes), if (result >= 0) {
            fd_is_new(result);
            fd_opened(t, result, pc);
            io_reads_text(name, pc);
        });
}

mqd_t __mq_open_2(const char *name, int flags);
INTERCEPT mqd_t __mq_open_2(const char *name, int flags)
{
    IO(
        NOTHING, REAL(__mq_open_2)(name, flags), if (result >= 0) {
            fd_is_new(result);
            fd_opened(t, result, pc);
            io_reads_text(name, pc);
        });
}

INTERCEPT int mq_close(mqd_t queue)
{
    IO(
        {
            fd_close(t, queue, pc);
            notice_cancel_peg(t, fd_ends(queue).in);
            fd_closing(t, queue);
        },
        REAL(mq_close)(queue), NOTHING);
}

INTERCEPT int mq_send(mqd_t queue, const char *from, size_t size, unsigned priority)
{
    GOES_OUT(queue, REAL(mq_send)(queue, from, size, priority), from, size);
}

INTERCEPT int mq_timedsend(mqd_t queue, const char *from, size_t size, unsigned priority,
                           const struct timespec *until)
{
    GOES_OUT(queue, REAL(mq_timedsend)(queue, from, size, priority, until), from, size);
}

#define RECEIVED(call)                                                                                       \
    IO_ON(                                                                                                   \
        queue, NOTHING, call, if (result >= 0) {                                                             \
            fd_acquire(t, queue);                                                                            \
            io_writes(to, (size_t)result, pc);                                                               \
            if (priority != NULL)                                                                            \
                io_writes(priority, sizeof *priority, pc);                                                   \
        })

INTERCEPT ssize_t mq_receive(mqd_t queue, char *to, size_t size, unsigned *priority)
{
    RECEIVED(REAL(mq_receive)(queue, to, size, priority));
}

INTERCEPT ssize_t mq_timedreceive(mqd_t queue, char *restrict to, size_t size, unsigned *restrict priority,
                                  const struct timespec *restrict until)
{
    RECEIVED(REAL(mq_timedreceive)(queue, to, size, priority, until));
}

/* What is called then is after whoever asked for it, and after whoever sent the message. */
INTERCEPT int mq_notify(mqd_t queue, const struct sigevent *event)
{
    struct sigevent room, *given = (struct sigevent *)event;
    IO_ON(
        queue,
        {
            if (event != NULL)
                io_reads(event, sizeof *event, pc);
            given = notice_after_peg(t, given, fd_ends(queue).in, &room);
            fd_release(t, queue);
        },
        REAL(mq_notify)(queue, given),
        {
            if (result != 0)
                notice_cancel(t, given);
            else if (event == NULL)
                notice_cancel_peg(t, fd_ends(queue).in);
        });
}

/* --- System V --- */

enum kind { MESSAGES, ADDED, TAKEN, KINDS };

static uint32_t queue_peg(int id, enum kind kind)
{
    return peg(PEG_QUEUE, (unsigned)id * KINDS + kind);
}

void messages_sending(struct thread *t, int id, const void *message, size_t size, uintptr_t pc)
{
    io_reads(message, sizeof(long) + size, pc);
    peg_release(t, queue_peg(id, MESSAGES));
}

void messages_received(struct thread *t, int id, void *message, size_t size, uintptr_t pc)
{
    peg_acquire(t, queue_peg(id, MESSAGES));
    io_writes(message, sizeof(long) + size, pc);
}

/* A message is a long, its type, and then `size` bytes. */
INTERCEPT int msgsnd(int id, const void *message, size_t size, int flags)
{
    IO(messages_sending(t, id, message, size, pc), REAL(msgsnd)(id, message, size, flags), NOTHING);
}

INTERCEPT ssize_t msgrcv(int id, void *message, size_t size, long type, int flags)
{
    IO(NOTHING, REAL(msgrcv)(id, message, size, type, flags),
       if (result >= 0) messages_received(t, id, message, (size_t)result, pc));
}

/* Whoever adds to a semaphore lets those go on who want to take from it; whoever takes, those who wait for 0.
 */
static bool some(const struct sembuf *operation, size_t count, int sign)
{
    for (size_t i = 0; i < count; i++)
        if ((operation[i].sem_op > 0) - (operation[i].sem_op < 0) == sign)
            return true;
    return false;
}

void semaphores_operating(struct thread *t, int id, const struct sembuf *operation, size_t count,
                          uintptr_t pc)
{
    enum { AT_MOST = 1024 };
    if (count > AT_MOST || !io_can_read(operation, count * sizeof *operation))
        return;
    io_reads(operation, count * sizeof *operation, pc);
    if (some(operation, count, 1))
        peg_release(t, queue_peg(id, ADDED));
    if (some(operation, count, -1))
        peg_release(t, queue_peg(id, TAKEN));
}

void semaphores_operated(struct thread *t, int id, const struct sembuf *operation, size_t count)
{
    if (some(operation, count, -1))
        peg_acquire(t, queue_peg(id, ADDED));
    if (some(operation, count, 0))
        peg_acquire(t, queue_peg(id, TAKEN));
}

#define OPERATED(call)                                                                                       \
    IO(semaphores_operating(t, id, operation, count, pc), call,                                              \
       if (result == 0) semaphores_operated(t, id, operation, count))

INTERCEPT int semop(int id, struct sembuf *operation, size_t count)
{
    OPERATED(REAL(semop)(id, operation, count));
}

INTERCEPT int semtimedop(int id, struct sembuf *operation, size_t count, const struct timespec *wait)
{
    OPERATED(REAL(semtimedop)(id, operation, count, wait));
}

void semaphores_setting(struct thread *t, int id, int command)
{
    if (command != SETVAL && command != SETALL)
        return;
    peg_release(t, queue_peg(id, ADDED));
    peg_release(t, queue_peg(id, TAKEN));
}

/* The last argument is there for some commands only; as a pointer it is whole for all of them. */
INTERCEPT int semctl(int id, int number, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    IO(semaphores_setting(t, id, command), REAL(semctl)(id, number, command, argument), NOTHING);
}
