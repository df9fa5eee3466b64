/* What the cases of functions that take file descriptors need: a pipe, a file, and sockets that there is something to
 * read from, and others into which one can write. */
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>

ssize_t __read(int, void *, size_t), __read_chk(int, void *, size_t, size_t), __write(int, const void *, size_t);
ssize_t __pread64(int, void *, size_t, off64_t), __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t), __pwrite64(int, const void *, size_t, off64_t);
ssize_t __send(int, const void *, size_t, int), __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t), __poll(struct pollfd *, nfds_t, int);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);

static int fd_pipe[2], fd_file, fd_udp[2], fd_stream[2], fd_listener, fd_client, fd_epoll, fd_event, fd_timer, fd_new;
static struct sockaddr_in fd_name;

QUIET static int fd_quiet(int fd) /* never waits */
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

QUIET static void fd_bound(int *fd, int type, struct sockaddr_in *name)
{
    socklen_t size = sizeof *name;
    *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    *fd = fd_quiet(socket(AF_INET, type, 0));
    bind(*fd, (struct sockaddr *)name, sizeof *name);
    getsockname(*fd, (struct sockaddr *)name, &size);
}

/* Once: what all of them use. */
QUIET static void fd_open(void)
{
    struct sockaddr_in other;
    if (fd_file != 0)
        return;
    fd_file = memfd_create("case", 0);
    fd_event = fd_quiet(eventfd(0, 0));
    fd_timer = timerfd_create(CLOCK_MONOTONIC, 0);
    fd_epoll = epoll_create1(0);
    pipe2(fd_pipe, O_NONBLOCK);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd_stream);
    fd_bound(&fd_udp[0], SOCK_DGRAM, &other);
    fd_bound(&fd_udp[1], SOCK_DGRAM, &fd_name);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7};
    epoll_ctl(fd_epoll, EPOLL_CTL_ADD, fd_event, &event);
}

/* Whatever may be read has `text` to read and nothing else, and there is room to write. */
QUIET static void fd_fill(const char *text)
{
    static char drain[4096];
    uint64_t one = 1;
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    fd_open();
    while (read(fd_pipe[0], drain, sizeof drain) > 0)
        ;
    while (read(fd_stream[0], drain, sizeof drain) > 0 || read(fd_stream[1], drain, sizeof drain) > 0)
        ;
    while (recv(fd_udp[0], drain, sizeof drain, 0) >= 0 || recv(fd_udp[1], drain, sizeof drain, 0) >= 0)
        ;
    write(fd_pipe[1], text, length);
    write(fd_stream[0], text, length);
    write(fd_event, &one, sizeof one);
    ftruncate(fd_file, 0);
    pwrite(fd_file, text, length, 0);
    lseek(fd_file, 0, SEEK_SET);
    sendto(fd_udp[0], text, length, 0, (struct sockaddr *)&fd_name, sizeof fd_name);
    put(a, "");
    put(b, "");
    put(c, "");
}
#define FILL fd_fill("0123456789")

/* Somebody wants to be accepted. */
QUIET static void fd_knock(void)
{
    struct sockaddr_in name;
    FILL;
    if (fd_client > 0)
        close(fd_client);
    if (fd_listener > 0)
        close(fd_listener);
    if (fd_new > 0)
        close(fd_new);
    fd_bound(&fd_listener, SOCK_STREAM, &name);
    listen(fd_listener, 1);
    fd_client = fd_quiet(socket(AF_INET, SOCK_STREAM, 0));
    connect(fd_client, (struct sockaddr *)&name, sizeof name);
    struct pollfd ready = {.fd = fd_listener, .events = POLLIN};
    poll(&ready, 1, -1);
}

/* Pieces at c: 2 bytes at a, 3 at b. */
#define fd_pieces ((struct iovec *)c)
QUIET static void fd_pieces_there(void)
{
    FILL;
    fd_pieces[0] = (struct iovec){a, 2};
    fd_pieces[1] = (struct iovec){b, 3};
}

/* A message at c: 2 bytes at a, its name at b. */
#define fd_message ((struct msghdr *)c)
QUIET static void fd_message_there(void)
{
    static struct iovec piece;
    FILL;
    piece = (struct iovec){a, 2};
    *fd_message = (struct msghdr){.msg_name = b, .msg_namelen = sizeof fd_name, .msg_iov = &piece, .msg_iovlen = 1};
    *(struct sockaddr_in *)b = fd_name;
}

/* One of several, at c. */
#define fd_messages ((struct mmsghdr *)c)

/* Descriptors to poll at a: one that is ready, one that is none. */
#define fd_polled ((struct pollfd *)a)
QUIET static void fd_polled_there(void)
{
    FILL;
    fd_polled[0] = (struct pollfd){.fd = fd_pipe[0], .events = POLLIN};
    fd_polled[1] = (struct pollfd){.fd = -1};
    *(struct timespec *)b = (struct timespec){0};
}

#define fd_set_at(place) ((fd_set *)(place))
QUIET static void fd_sets_there(void)
{
    FILL;
    clear(a);
    clear(b);
    clear(c);
    FD_SET(fd_pipe[0], fd_set_at(a));
}

QUIET static socklen_t *fd_size(char *place, socklen_t size)
{
    *(socklen_t *)place = size;
    return (socklen_t *)place;
}

QUIET static sigset_t *fd_signals(char *place)
{
    sigset_t *set = (sigset_t *)place;
    sigemptyset(set);
    sigaddset(set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    return set;
}

/* Queues with one message. */
static mqd_t fd_queue;
static int fd_messages_of_system_v;
QUIET static void fd_queues_there(void)
{
    char text[64];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct {
        long type;
        char text[3];
    } note = {1, "ab"};
    FILL;
    if (fd_queue == 0) {
        fd_queue = mq_open("/pf_case", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attributes);
        mq_unlink("/pf_case");
    }
    while (mq_receive(fd_queue, text, sizeof text, NULL) >= 0)
        ;
    mq_send(fd_queue, "abc", 3, 2);
    if (fd_messages_of_system_v != 0)
        msgctl(fd_messages_of_system_v, IPC_RMID, NULL);
    fd_messages_of_system_v = msgget(IPC_PRIVATE, 0600);
    msgsnd(fd_messages_of_system_v, &note, 3, 0);
    *(long *)a = 1;
}
