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

void packet_answer(int socket, const struct wire_verdict *verdict, int passed)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {
        .header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)verdict, sizeof *verdict};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    memcpy(CMSG_DATA(&control.header), &passed, sizeof passed);
    if (passed >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}
