/* Waiting for several descriptors at once: what made one ready happens before the return. */
#include <poll.h>
#include <sys/select.h>

#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"

/* --- poll --- */

void poll_begins(const struct pollfd *fds, nfds_t count, const struct timespec *wait, uintptr_t pc)
{
    enum { AT_MOST = 1 << 20 };
    io_reads(fds, (count < AT_MOST ? count : AT_MOST) * sizeof *fds, pc);
    if (wait != NULL)
        io_reads(wait, sizeof *wait, pc);
}

void poll_ends(struct thread *t, struct pollfd *fds, nfds_t count, uintptr_t pc)
{
    const short only_out = POLLOUT | POLLWRNORM | POLLWRBAND;
    for (nfds_t i = 0; i < count; i++)
        fd_use(fds[i].fd,
               pc); /* only now they are known to be memory; before anything is learned from them */
    for (nfds_t i = 0; i < count; i++)
        if (fds[i].revents & ~only_out)
            fd_acquire(t, fds[i].fd);
    for (nfds_t i = 0; i < count; i++)
        io_writes(&fds[i].revents, sizeof fds[i].revents, pc);
}

#define POLL(wait, call)                                                                                     \
    IO(poll_begins(fds, count, wait, pc), call, if (result >= 0) poll_ends(t, fds, count, pc))

int __poll(struct pollfd *fds, nfds_t count, int milliseconds);
int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *wait, const sigset_t *mask,
                size_t room);

INTERCEPT int poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
    POLL(NULL, REAL(poll)(fds, count, milliseconds));
}

INTERCEPT int __poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
    POLL(NULL, REAL(__poll)(fds, count, milliseconds));
}

INTERCEPT int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t room)
{
    POLL(NULL, REAL(__poll_chk)(fds, count, milliseconds, room));
}

INTERCEPT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *wait, const sigset_t *mask)
{
    POLL(wait, REAL(ppoll)(fds, count, wait, mask));
}

INTERCEPT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *wait, const sigset_t *mask,
                          size_t room)
{
    POLL(wait, REAL(__ppoll_chk)(fds, count, wait, mask, room));
}

/* --- select --- */

/* The kernel's idea of how long a set is: whole longs. */
static size_t set_bytes(int count)
{
    return count > 0 ? ((size_t)count + 63) / 64 * 8 : 0;
}

void select_begins(int count, fd_set *const set[3], const void *wait, size_t wait_size, uintptr_t pc)
{
    for (unsigned i = 0; i < 3; i++)
        if (set[i] != NULL)
            io_reads(set[i], set_bytes(count), pc);
    if (wait != NULL)
        io_reads(wait, wait_size, pc);
}

static bool is_in(const fd_set *set, int fd)
{
    const unsigned long *bits = (const unsigned long *)(const void *)set;
    return bits != NULL && (bits[fd / 64] >> fd % 64 & 1) != 0;
}

void select_ends(struct thread *t, int count, fd_set *const set[3], uintptr_t pc)
{
    enum { READABLE = 0, WRITABLE = 1 };
    for (int fd = 0; fd < count; fd++)
        if (is_in(set[0], fd) || is_in(set[1], fd) || is_in(set[2], fd))
            fd_use(fd, pc); /* before anything is learned from them */
    for (unsigned i = 0; i < 3; i++)
        for (int fd = 0; i != WRITABLE && fd < count; fd++)
            if (is_in(set[i], fd))
                fd_acquire(t, fd);
    for (unsigned i = 0; i < 3; i++)
        if (set[i] != NULL)
            io_writes(set[i], set_bytes(count), pc);
}

#define SELECT(call, also)                                                                                   \
    fd_set *set[] = {readable, writable, special};                                                           \
    IO(                                                                                                      \
        select_begins(count, set, wait, sizeof *wait, pc), call, if (result >= 0) {                          \
            select_ends(t, count, set, pc);                                                                  \
            also;                                                                                            \
        })

int __select(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict special,
             struct timeval *restrict wait);

/* What is left of the time is written back. */
INTERCEPT int select(int count, fd_set *restrict readable, fd_set *restrict writable,
                     fd_set *restrict special, struct timeval *restrict wait)
{
    SELECT(REAL(select)(count, readable, writable, special, wait),
           if (wait != NULL) io_writes(wait, sizeof *wait, pc));
}

INTERCEPT int __select(int count, fd_set *restrict readable, fd_set *restrict writable,
                       fd_set *restrict special, struct timeval *restrict wait)
{
    SELECT(REAL(__select)(count, readable, writable, special, wait),
           if (wait != NULL) io_writes(wait, sizeof *wait, pc));
}

INTERCEPT int pselect(int count, fd_set *restrict readable, fd_set *restrict writable,
                      fd_set *restrict special, const struct timespec *restrict wait,
                      const sigset_t *restrict mask)
{
    SELECT(REAL(pselect)(count, readable, writable, special, wait, mask), NOTHING);
}
