/* Sockets: connections, and messages with all that goes with them. */
#include <limits.h>
#include <sys/socket.h>

#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"

/* --- connections --- */

#define CONNECTED(call)                                                                                      \
    IO_ON(                                                                                                   \
        fd,                                                                                                  \
        {                                                                                                    \
            io_reads(name, size, pc);                                                                        \
            if (io_can_read(name, size))                                                                     \
                fd_connecting(t, name, size);                                                                \
        },                                                                                                   \
        call,                                                                                                \
        {                                                                                                    \
            fd_is_new(fd); /* it has a peer, or is about to */                                               \
            if (result == 0)                                                                                 \
                fd_connected(t, name, size);                                                                 \
        })

int __connect(int fd, const struct sockaddr *name, socklen_t size);

INTERCEPT int connect(int fd, const struct sockaddr *name, socklen_t size)
{
    CONNECTED(REAL(connect)(fd, name, size));
}

INTERCEPT int __connect(int fd, const struct sockaddr *name, socklen_t size)
{
    CONNECTED(REAL(__connect)(fd, name, size));
}

INTERCEPT int bind(int fd, const struct sockaddr *name, socklen_t size)
{
    IO_ON(fd, io_reads(name, size, pc), REAL(bind)(fd, name, size), fd_is_new(fd));
}

INTERCEPT int listen(int fd, int backlog)
{
    IO_ON(fd, fd_listening(t, fd), REAL(listen)(fd, backlog), fd_is_new(fd));
}

INTERCEPT int shutdown(int fd, int how)
{
    IO_ON(fd, fd_release(t, fd), REAL(shutdown)(fd, how), NOTHING);
}

/* How much room there is for an address, before the kernel fills it in. */
socklen_t name_room(const void *name, const socklen_t *size)
{
    return name != NULL && io_can_read(size, sizeof *size) ? *size : 0;
}

/* An address that the kernel has filled in: *size says how long it is, `room` how much of it was wanted. */
void name_given(void *name, socklen_t *size, socklen_t room, uintptr_t pc)
{
    if (name == NULL || size == NULL)
        return;
    io_writes(name, *size < room ? *size : room, pc);
    io_writes(size, sizeof *size, pc);
}

#define ACCEPTED(call)                                                                                       \
    socklen_t room = 0;                                                                                      \
    IO_ON(                                                                                                   \
        fd, room = name_room(name, size), call, if (result >= 0) {                                           \
            fd_is_new(result);                                                                               \
            fd_opened(t, result, pc);                                                                        \
            fd_acquire(t, fd);                                                                               \
            name_given(name, size, room, pc);                                                                \
        })

INTERCEPT int accept(int fd, struct sockaddr *restrict name, socklen_t *restrict size)
{
    ACCEPTED(REAL(accept)(fd, name, size));
}

INTERCEPT int accept4(int fd, struct sockaddr *restrict name, socklen_t *restrict size, int flags)
{
    ACCEPTED(REAL(accept4)(fd, name, size, flags));
}

#define NAMED(call)                                                                                          \
    socklen_t room = 0;                                                                                      \
    IO_ON(fd, room = name_room(name, size), call, if (result == 0) name_given(name, size, room, pc))

INTERCEPT int getsockname(int fd, struct sockaddr *restrict name, socklen_t *restrict size)
{
    NAMED(REAL(getsockname)(fd, name, size));
}

INTERCEPT int getpeername(int fd, struct sockaddr *restrict name, socklen_t *restrict size)
{
    NAMED(REAL(getpeername)(fd, name, size));
}

INTERCEPT int getsockopt(int fd, int level, int which, void *restrict name, socklen_t *restrict size)
{
    NAMED(REAL(getsockopt)(fd, level, which, name, size));
}

INTERCEPT int setsockopt(int fd, int level, int which, const void *value, socklen_t size)
{
    IO_ON(fd, io_reads(value, size, pc), REAL(setsockopt)(fd, level, which, value, size), NOTHING);
}

/* --- bytes --- */

ssize_t __send(int fd, const void *from, size_t size, int flags);
ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t size, size_t limit, int flags,
                       struct sockaddr *restrict name, socklen_t *restrict name_size);

INTERCEPT ssize_t send(int fd, const void *from, size_t size, int flags)
{
    GOES_OUT(fd, REAL(send)(fd, from, size, flags), from, size);
}

INTERCEPT ssize_t __send(int fd, const void *from, size_t size, int flags)
{
    GOES_OUT(fd, REAL(__send)(fd, from, size, flags), from, size);
}

INTERCEPT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *name,
                         socklen_t name_size)
{
    IO_ON(
        fd,
        {
            io_reads(from, size, pc);
            io_reads(name, name != NULL ? name_size : 0, pc);
            fd_release_to(t, fd, io_can_read(name, name_size) ? name : NULL, name_size);
        },
        REAL(sendto)(fd, from, size, flags, name, name_size), NOTHING);
}

/* With MSG_TRUNC, the result is how long the message was. */
static size_t filled(ssize_t result, size_t size)
{
    return (size_t)result < size ? (size_t)result : size;
}

#define RECEIVED(call)                                                                                       \
    IO_ON(                                                                                                   \
        fd, NOTHING, call, if (result >= 0) {                                                                \
            fd_acquire(t, fd);                                                                               \
            io_writes(to, filled(result, size), pc);                                                         \
        })

INTERCEPT ssize_t recv(int fd, void *to, size_t size, int flags)
{
    RECEIVED(REAL(recv)(fd, to, size, flags));
}

INTERCEPT ssize_t __recv_chk(int fd, void *to, size_t size, size_t limit, int flags)
{
    RECEIVED(REAL(__recv_chk)(fd, to, size, limit, flags));
}

#define RECEIVED_FROM(call)                                                                                  \
    socklen_t room = 0;                                                                                      \
    IO_ON(                                                                                                   \
        fd, room = name_room(name, name_size), call, if (result >= 0) {                                      \
            fd_acquire(t, fd);                                                                               \
            io_writes(to, filled(result, size), pc);                                                         \
            name_given(name, name_size, room, pc);                                                           \
        })

INTERCEPT ssize_t recvfrom(int fd, void *restrict to, size_t size, int flags, struct sockaddr *restrict name,
                           socklen_t *restrict name_size)
{
    RECEIVED_FROM(REAL(recvfrom)(fd, to, size, flags, name, name_size));
}

INTERCEPT ssize_t __recvfrom_chk(int fd, void *restrict to, size_t size, size_t limit, int flags,
                                 struct sockaddr *restrict name, socklen_t *restrict name_size)
{
    RECEIVED_FROM(REAL(__recvfrom_chk)(fd, to, size, limit, flags, name, name_size));
}

/* --- messages --- */

void message_sending(struct thread *t, int fd, const struct msghdr *m, uintptr_t pc)
{
    if (!io_can_read(m, sizeof *m)) {
        fd_release(t, fd);
        return;
    }
    io_reads(m, sizeof *m, pc);
    io_reads(m->msg_name, m->msg_name != NULL ? m->msg_namelen : 0, pc);
    io_reads(m->msg_control, m->msg_control != NULL ? m->msg_controllen : 0, pc);
    io_reads_pieces(m->msg_iov, (long)m->msg_iovlen, pc);
    fd_release_to(t, fd, io_can_read(m->msg_name, m->msg_namelen) ? m->msg_name : NULL, m->msg_namelen);
}

/* Descriptors that came with the message: their numbers are new. */
static void descriptors_received(struct thread *t, const struct msghdr *m, uintptr_t pc)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR((struct msghdr *)m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(0))
            continue;
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            fd_is_new(((const int *)CMSG_DATA(c))[i]);
            fd_opened(t, ((const int *)CMSG_DATA(c))[i], pc);
        }
    }
}

/* `size` bytes have come. */
void message_received(struct thread *t, struct msghdr *m, socklen_t name_room, ssize_t size, uintptr_t pc)
{
    descriptors_received(t, m, pc);
    io_writes_pieces(m->msg_iov, (long)m->msg_iovlen, (size_t)size, pc);
    if (m->msg_name != NULL) {
        io_writes(m->msg_name, m->msg_namelen < name_room ? m->msg_namelen : name_room, pc);
        io_writes(&m->msg_namelen, sizeof m->msg_namelen, pc);
    }
    if (m->msg_control != NULL) {
        io_writes(m->msg_control, m->msg_controllen, pc);
        io_writes(&m->msg_controllen, sizeof m->msg_controllen, pc);
    }
    io_writes(&m->msg_flags, sizeof m->msg_flags, pc);
}

INTERCEPT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    IO_ON(fd, message_sending(t, fd, message, pc), REAL(sendmsg)(fd, message, flags), NOTHING);
}

/* Returns how much room there is for the name. */
socklen_t message_receiving(const struct msghdr *m, uintptr_t pc)
{
    if (!io_can_read(m, sizeof *m))
        return 0;
    io_reads(m, offsetof(struct msghdr, msg_flags), pc);
    return m->msg_namelen;
}

INTERCEPT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    socklen_t room = 0;
    IO_ON(
        fd, room = message_receiving(message, pc), REAL(recvmsg)(fd, message, flags), if (result >= 0) {
            fd_acquire(t, fd);
            message_received(t, message, room, result, pc);
        });
}

INTERCEPT int sendmmsg(int fd, struct mmsghdr *message, unsigned count, int flags)
{
    IO_ON(fd,
          for (unsigned i = 0; i < count && i < IOV_MAX; i++) message_sending(t, fd, &message[i].msg_hdr, pc),
          REAL(sendmmsg)(fd, message, count, flags),
          for (int i = 0; i < result; i++) io_writes(&message[i].msg_len, sizeof message[i].msg_len, pc));
}

/* A name that is longer than the room for it would be seen only with a copy of all headers. */
INTERCEPT int recvmmsg(int fd, struct mmsghdr *message, unsigned count, int flags, struct timespec *wait)
{
    IO_ON(
        fd, for (unsigned i = 0; i < count && i < IOV_MAX; i++) message_receiving(&message[i].msg_hdr, pc),
        REAL(recvmmsg)(fd, message, count, flags, wait), if (result > 0) {
            fd_acquire(t, fd);
            for (int i = 0; i < result; i++) {
                message_received(t, &message[i].msg_hdr, message[i].msg_hdr.msg_namelen, message[i].msg_len,
                                 pc);
                io_writes(&message[i].msg_len, sizeof message[i].msg_len, pc);
            }
        });
}
