#include "cli/packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The descriptor among the control messages; any more are closed. */
static int take_descriptor(struct msghdr *message)
{
    int taken = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (taken < 0)
                taken = fd;
            else
                close(fd);
        }
    }
    return taken;
}

enum packet_result packet_receive(int socket, bool wait, struct packet *p)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct iovec part = {p->bytes, sizeof p->bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return PACKET_NONE;
    if (got <= 0)
        return PACKET_END;
    p->length = (size_t)got;
    p->passed = take_descriptor(&message);
    return PACKET_GOOD;
}

void packet_answer(int socket, const struct wire_verdict *verdict)
{
    while (send(socket, verdict, sizeof *verdict, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}
