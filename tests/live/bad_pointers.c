/* System calls with pointers to where there is no memory: what each answers. The same program without us is
 * the judge. The first argument picks one kind of pointer: unmapped, unreadable, NULL, or one that begins in
 * a page that is there and goes on into one that is not. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/must.h"

enum { PAGE = 4096 };

static char *none; /* the pointer */

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long result = (long)(call);                                                                          \
        printf("%s: %ld, %s\n", #call, result, strerrorname_np(errno));                                      \
    } while (0)

static void vectors(int in, int out, int file)
{
    struct iovec *bad = (void *)none, good[2] = {{none, 10}, {none + PAGE, 10}};
    TRY(readv(in, bad, 2));
    TRY(writev(out, bad, 2));
    TRY(preadv(file, bad, 2, 0));
    TRY(pwritev(file, bad, 2, 0));
    TRY(preadv2(file, bad, 2, 0, 0));
    TRY(pwritev2(file, bad, 2, 0, 0));
    TRY(vmsplice(out, bad, 2, 0));
    TRY(readv(in, good + 1, 1));
    TRY(writev(out, good + 1, 1));
    TRY(writev(out, bad, -1));
    TRY(writev(out, bad, 1 << 20));
    TRY(read(in, none + PAGE, 5));
    TRY(write(out, none + PAGE, 5));
}

static void messages(int socket)
{
    struct iovec piece = {.iov_base = none + PAGE, .iov_len = 10};
    struct msghdr bad_pieces = {.msg_iov = (void *)none, .msg_iovlen = 3},
                  bad_name = {.msg_name = none + PAGE, .msg_namelen = 16},
                  bad_control = {.msg_control = none + PAGE, .msg_controllen = 64},
                  bad_bytes = {.msg_iov = &piece, .msg_iovlen = 1};
    struct mmsghdr several[2] = {{.msg_hdr = bad_pieces}, {.msg_hdr = bad_name}};
    TRY(sendmsg(socket, (void *)none, 0));
    TRY(sendmsg(socket, &bad_pieces, 0));
    TRY(sendmsg(socket, &bad_name, 0));
    TRY(sendmsg(socket, &bad_control, 0));
    TRY(sendmsg(socket, &bad_bytes, 0));
    TRY(sendmmsg(socket, (void *)none, 2, 0));
    TRY(sendmmsg(socket, several, 2, 0));
    TRY(recvmsg(socket, (void *)none, MSG_DONTWAIT));
    TRY(recvmsg(socket, &bad_pieces, MSG_DONTWAIT));
    TRY(recvmmsg(socket, (void *)none, 2, MSG_DONTWAIT, NULL));
    TRY(send(socket, none + PAGE, 10, 0));
    TRY(sendto(socket, "x", 1, 0, (void *)(none + PAGE), 16));
    TRY(recv(socket, none + PAGE, 10, MSG_DONTWAIT));
    TRY(recvfrom(socket, none + PAGE, 10, MSG_DONTWAIT, (void *)none, (void *)(none + PAGE)));
}

static void names(int socket)
{
    socklen_t size = 16;
    TRY(connect(socket, (void *)(none + PAGE), 16));
    TRY(bind(socket, (void *)(none + PAGE), 16));
    TRY(accept(socket, (void *)none, (void *)(none + PAGE)));
    TRY(getsockname(socket, (void *)(none + PAGE), &size));
    TRY(getsockname(socket, (void *)none, (void *)(none + PAGE)));
    TRY(getpeername(socket, (void *)none, (void *)(none + PAGE)));
    TRY(getsockopt(socket, SOL_SOCKET, SO_TYPE, none, (void *)(none + PAGE)));
    TRY(setsockopt(socket, SOL_SOCKET, SO_RCVBUF, none + PAGE, 4));
}

static void waiting(int in)
{
    int several = epoll_create1(0);
    struct timeval now = {0, 0};
    struct timespec *spec = (void *)(none + PAGE);
    TRY(poll((void *)(none + PAGE), 2, 0));
    TRY(ppoll(NULL, 0, NULL, (void *)(none + PAGE)));
    TRY(select(8, (void *)(none + PAGE), NULL, NULL, &now));
    TRY(epoll_ctl(several, EPOLL_CTL_ADD, in, (void *)(none + PAGE)));
    TRY(epoll_wait(several, (void *)(none + PAGE), 1, 0));
    TRY(epoll_pwait(several, (void *)(none + PAGE), 1, 0, (void *)(none + PAGE)));
    TRY(setitimer(ITIMER_REAL, (void *)(none + PAGE), NULL));
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    TRY(timerfd_settime(timer, 0, (void *)(none + PAGE), NULL));
    TRY(timerfd_gettime(timer, (void *)(none + PAGE)));
    TRY(nanosleep(spec, NULL));
    TRY(sigtimedwait((void *)(none + PAGE), NULL, &(struct timespec){0, 0}));
}

static void queues(int file)
{
    int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600), pipes[2];
    must(pipe(pipes) == 0);
    TRY(semop(set, (void *)none, 2));
    TRY(semop(set, (void *)(none + PAGE), 2));
    TRY(msgsnd(queue, none + PAGE, 10, 0));
    TRY(msgrcv(queue, none + PAGE, 10, 0, IPC_NOWAIT));
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    TRY(sendfile(pipes[1], file, (void *)(none + PAGE), 5));
    TRY(splice(file, (void *)(none + PAGE), pipes[1], NULL, 5, 0));
    TRY(pipe((void *)(none + PAGE)));
    TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, (void *)(none + PAGE)));
    TRY(open(none + PAGE, O_RDONLY));
    TRY(unlink(none + PAGE));
    TRY(stat(none + PAGE, &(struct stat){0}));
    TRY(fstat(file, (void *)(none + PAGE)));
    TRY(fcntl(file, F_OFD_SETLK, none + PAGE));
    TRY(fcntl(file, F_GETLK, none + PAGE));
    TRY(waitid(P_ALL, 0, (void *)(none + PAGE), WEXITED | WNOHANG));
    TRY(waitpid(-1, (void *)(none + PAGE), WNOHANG));
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "unmapped";
    int pipes[2], sockets[2], file = open("/proc/self/exe", O_RDONLY);
    char *three = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(three != MAP_FAILED && pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0 &&
         file >= 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    none = three;
    if (strcmp(which, "unmapped") == 0)
        must(munmap(three, 3 * PAGE) == 0);
    else if (strcmp(which, "unreadable") == 0)
        must(mprotect(three, 3 * PAGE, PROT_NONE) == 0);
    else if (strcmp(which, "null") == 0)
        none = NULL;
    else
        must(munmap(three + PAGE, 2 * PAGE) == 0), none = three + PAGE - 4;
    must(write(pipes[1], "something", 9) == 9 && send(sockets[1], "something", 9, 0) == 9);
    vectors(pipes[0], pipes[1], file);
    messages(sockets[0]);
    names(sockets[0]);
    names(socket(AF_INET, SOCK_STREAM, 0));
    waiting(pipes[0]);
    queues(file);
    return 0;
}
