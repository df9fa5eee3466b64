/* Calls that fail, fail as ever: bad descriptors, bad addresses, nothing to do; and errno is what it was. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "must.h"

static void give(void)
{
}
static void take(void)
{
}

#define fails(call, error)                                                                                   \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long result_ = (long)(call);                                                                         \
        int errno_ = errno;                                                                                  \
        if (result_ != -1 || errno_ != (error)) {                                                            \
            printf("%s: %ld, errno %d\n", #call, result_, errno_);                                           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void bad_descriptors(int bad)
{
    char c = 0;
    struct iovec piece = {&c, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    struct epoll_event event = {.events = EPOLLIN};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    fails(read(bad, &c, 1), EBADF);
    fails(write(bad, &c, 1), EBADF);
    fails(readv(bad, &piece, 1), EBADF);
    fails(writev(bad, &piece, 1), EBADF);
    fails(pread(bad, &c, 1, 0), EBADF);
    fails(send(bad, &c, 1, 0), EBADF);
    fails(recv(bad, &c, 1, 0), EBADF);
    fails(sendmsg(bad, &message, 0), EBADF);
    fails(recvmsg(bad, &message, 0), EBADF);
    fails(sendfile(bad, bad, NULL, 1), EBADF);
    fails(connect(bad, (struct sockaddr *)&name, sizeof name), EBADF);
    fails(accept(bad, NULL, NULL), EBADF);
    fails(listen(bad, 1), EBADF);
    fails(shutdown(bad, SHUT_RD), EBADF);
    fails(epoll_ctl(bad, EPOLL_CTL_ADD, 0, &event), EBADF);
    fails(epoll_wait(bad, &event, 1, 0), EBADF);
    fails(dup(bad), EBADF);
    fails(dup2(bad, 0), EBADF);
    fails(fcntl(bad, F_DUPFD, 0), EBADF);
    fails(close(bad), EBADF);
    fails(eventfd_write(bad, 1), EBADF);
}

static void bad_addresses(void)
{
    int fd[2], pairs[2];
    void *volatile nowhere = NULL, *volatile high = (void *)-4096L;
    must(pipe(fd) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pairs) == 0);
    fails(write(fd[1], nowhere, 1), EFAULT);
    fails(write(fd[1], high, 1), EFAULT);
    fails(writev(fd[1], nowhere, 1), EFAULT);
    must(write(fd[1], "!", 1) == 1);
    fails(read(fd[0], nowhere, 1), EFAULT);
    fails(readv(fd[0], nowhere, 1), EFAULT);
    fails(sendmsg(pairs[0], nowhere, 0), EFAULT);
    fails(recvmsg(pairs[0], nowhere, MSG_DONTWAIT), EFAULT);
    fails(send(pairs[0], nowhere, 1, 0), EFAULT);
    fails(connect(pairs[0], nowhere, 16), EFAULT);
    fails(poll(nowhere, 1, 0), EFAULT);
    fails(pipe(nowhere), EFAULT);
    fails(semop(-1, nowhere, 1), EFAULT);
    fails(open(nowhere, O_RDONLY), EFAULT);
    must(write(fd[1], nowhere, 0) == 0 && writev(fd[1], nowhere, 0) == 0);
    must(poll(nowhere, 0, 0) == 0 && select(0, NULL, NULL, NULL, &(struct timeval){0}) == 0);
}

static void kept(void)
{
    char c;
    int fd[2];
    must(pipe(fd) == 0);
    errno = 77;
    must(write(fd[1], "!", 1) == 1 && read(fd[0], &c, 1) == 1 && dup2(fd[0], 300) == 300);
    must(close(300) == 0 && close(fd[1]) == 0 && read(fd[0], &c, 1) == 0);
    must(errno == 77);
}

int main(void)
{
    bad_descriptors(-1);
    bad_descriptors(1000);
    bad_descriptors(INT_MAX);
    bad_addresses();
    kept();
    return 0;
}
