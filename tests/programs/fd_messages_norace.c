/* sendmsg() and recvmsg(): pieces, and a descriptor that goes with them and is the pipe it was. */
#include "message.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd[2], pipes[2];

static void give(void)
{
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece[] = {{"ab", 2}, {"cd", 2}};
    struct msghdr m = {.msg_iov = piece, .msg_iovlen = 2, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &pipes[0], sizeof(int));
    must(sendmsg(fd[0], &m, 0) == 4);
}

static void take(void)
{
    char room[CMSG_SPACE(sizeof(int))], text[4];
    struct iovec piece[] = {{text, 3}, {text + 3, 1}};
    struct msghdr m = {.msg_iov = piece, .msg_iovlen = 2, .msg_control = room, .msg_controllen = sizeof room};
    must(recvmsg(fd[1], &m, 0) == 4 && text[3] == 'd');
    int got;
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof got);
    char c;
    must(got > 0 && write(pipes[1], "!", 1) == 1 && read(got, &c, 1) == 1);
}

int main(void)
{
    must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd) == 0 && pipe(pipes) == 0);
    return message();
}
