/* System calls made by hand, with the hooks of <sanitizer/linux_syscall_hooks.h> around them: syscalls CASE [BYTE r|w].
 *
 * With a byte: a thread reads or writes that byte of `memory`, and another makes the call, which nothing orders after it:
 * a race if and only if the call touches the byte, and one of the two writes. Without: whether the call orders the two. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/unseen.h"

/* As the header has them, without its list. */
#define DECLARE(call)                                                                                        \
    void __sanitizer_syscall_pre_impl_##call(long, ...);                                                     \
    void __sanitizer_syscall_post_impl_##call(long, ...);
DECLARE(read)
DECLARE(write)
DECLARE(readv) DECLARE(writev) DECLARE(pread64) DECLARE(pwrite64) DECLARE(clock_gettime) DECLARE(open)
    DECLARE(openat) DECLARE(close) DECLARE(dup2) DECLARE(pipe2) DECLARE(poll) DECLARE(futex) DECLARE(sendto)
        DECLARE(recvfrom) DECLARE(sendmsg) DECLARE(recvmsg) DECLARE(getsockname) DECLARE(epoll_ctl)
            DECLARE(epoll_wait) DECLARE(newfstat) DECLARE(rt_sigprocmask) DECLARE(getrandom) DECLARE(munmap)
                DECLARE(nanosleep) DECLARE(getpid) void __sanitizer_syscall_pre_impl_fork(void);
void __sanitizer_syscall_post_impl_fork(long);
void __sanitizer_syscall_pre_impl_exit_group(long);

static __attribute__((no_sanitize("thread"), noinline)) long by_hand(long number, long a, long b, long c,
                                                                     long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define CALL(name, number, a, b, c, d, e, f)                                                                 \
    ({                                                                                                       \
        __sanitizer_syscall_pre_impl_##name((long)(a), (long)(b), (long)(c), (long)(d), (long)(e),           \
                                            (long)(f));                                                      \
        long result_ = by_hand(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f));    \
        __sanitizer_syscall_post_impl_##name(result_, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
                                             (long)(f));                                                     \
        result_;                                                                                             \
    })
#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), exit(99)))

static char memory[256] __attribute__((aligned(64)));
int data;
static const char *what, *how;
static int byte, in, out, null, pair[2], epoll;
static char *page;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* What is in `memory` before the two begin. */
static void prepare(void)
{
    int ends[2];
    MUST(pipe(ends) == 0);
    in = ends[0], out = ends[1];
    MUST((null = open("/dev/null", O_RDWR)) >= 0);
    MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    MUST((epoll = epoll_create1(0)) >= 0);
    if (is("open") || is("openat"))
        strcpy(memory, "/dev/null");
    if (is("poll"))
        *(struct pollfd *)memory = (struct pollfd){.fd = null, .events = POLLIN | POLLOUT};
    if (is("readv") || is("writev")) {
        struct iovec *piece = (struct iovec *)memory;
        piece[0] = (struct iovec){memory + 64, 2};
        piece[1] = (struct iovec){memory + 128, 4};
    }
    if (is("sendmsg") || is("recvmsg")) {
        struct msghdr *message = (struct msghdr *)memory;
        struct iovec *piece = (struct iovec *)(memory + 64);
        *piece = (struct iovec){memory + 128, 4};
        *message = (struct msghdr){.msg_iov = piece, .msg_iovlen = 1};
    }
    if (is("getsockname"))
        *(socklen_t *)(memory + 128) = 64;
    if (is("read") || is("readv") || is("early_end"))
        MUST(write(out, "abc", 3) == 3);
    if (is("recvfrom") || is("recvmsg"))
        MUST(send(pair[1], "abc", 3, 0) == 3);
}

static void call(void)
{
    if (is("read"))
        MUST(CALL(read, SYS_read, in, memory + 8, 10, 0, 0, 0) == 3);
    else if (is("read_failed"))
        MUST(CALL(read, SYS_read, -1, memory + 8, 10, 0, 0, 0) == -EBADF);
    else if (is("write"))
        MUST(CALL(write, SYS_write, null, memory + 8, 4, 0, 0, 0) == 4);
    else if (is("pwrite"))
        MUST(CALL(pwrite64, SYS_pwrite64, null, memory + 8, 4, 0, 0, 0) == 4);
    else if (is("readv"))
        MUST(CALL(readv, SYS_readv, in, memory, 2, 0, 0, 0) == 3);
    else if (is("writev"))
        MUST(CALL(writev, SYS_writev, null, memory, 2, 0, 0, 0) == 6);
    else if (is("clock_gettime"))
        MUST(CALL(clock_gettime, SYS_clock_gettime, CLOCK_MONOTONIC, memory, 0, 0, 0, 0) == 0);
    else if (is("open"))
        MUST(CALL(open, SYS_open, memory, O_RDONLY, 0, 0, 0, 0) >= 0);
    else if (is("openat"))
        MUST(CALL(openat, SYS_openat, AT_FDCWD, memory, O_RDONLY, 0, 0, 0) >= 0);
    else if (is("pipe2"))
        MUST(CALL(pipe2, SYS_pipe2, memory, 0, 0, 0, 0, 0) == 0);
    else if (is("poll"))
        MUST(CALL(poll, SYS_poll, memory, 1, 0, 0, 0, 0) == 1);
    else if (is("futex")) /* another value is expected than there is */
        MUST(CALL(futex, SYS_futex, memory + 64, FUTEX_WAIT_PRIVATE, 1, memory, 0, 0) == -EAGAIN);
    else if (is("futex_wake"))
        MUST(CALL(futex, SYS_futex, memory + 64, FUTEX_WAKE_PRIVATE, 1, memory, 0, 0) == 0);
    else if (is("sendto"))
        MUST(CALL(sendto, SYS_sendto, pair[0], memory, 4, 0, 0, 0) == 4);
    else if (is("recvfrom"))
        MUST(CALL(recvfrom, SYS_recvfrom, pair[0], memory, 10, 0, 0, 0) == 3);
    else if (is("sendmsg"))
        MUST(CALL(sendmsg, SYS_sendmsg, pair[0], memory, 0, 0, 0, 0) == 4);
    else if (is("recvmsg"))
        MUST(CALL(recvmsg, SYS_recvmsg, pair[0], memory, 0, 0, 0, 0) == 3);
    else if (is("getsockname"))
        MUST(CALL(getsockname, SYS_getsockname, pair[0], memory, memory + 128, 0, 0, 0) == 0);
    else if (is("fstat"))
        MUST(CALL(newfstat, SYS_fstat, null, memory, 0, 0, 0, 0) == 0);
    else if (is("sigprocmask"))
        MUST(CALL(rt_sigprocmask, SYS_rt_sigprocmask, SIG_BLOCK, memory, memory + 64, 8, 0, 0) == 0);
    else if (is("getrandom"))
        MUST(CALL(getrandom, SYS_getrandom, memory, 5, 0, 0, 0, 0) == 5);
    else if (is("nanosleep"))
        MUST(CALL(nanosleep, SYS_nanosleep, memory, memory + 64, 0, 0, 0, 0) == 0);
    else if (is("getpid"))
        MUST(CALL(getpid, SYS_getpid, memory, 0, 0, 0, 0, 0) > 0);
    else
        MUST(0);
}

static void *touches(void *unused)
{
    volatile char *at = memory + byte;
    if (how[0] == 'r')
        (void)*at;
    else
        *at = unseen_now() < 100 ? *at : 0; /* the same as before */
    unseen_signal(1);
    return unused;
}

static void *calls(void *unused)
{
    unseen_wait(1);
    call();
    return unused;
}

/* --- order --- */

static void *first(void *unused)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = in};
    data = 1;
    if (is("pipe"))
        CALL(write, SYS_write, out, "x", 1, 0, 0, 0);
    else if (is("end"))
        CALL(close, SYS_close, out, 0, 0, 0, 0, 0);
    else if (is("socket"))
        CALL(sendto, SYS_sendto, pair[0], "x", 1, 0, 0, 0);
    else if (is("epoll")) {
        MUST(CALL(epoll_ctl, SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, in, &event, 0, 0) == 0);
        data = 1;
        CALL(write, SYS_write, out, "x", 1, 0, 0, 0);
    } else if (is("copy")) { /* the number means the pipe from now on */
        MUST(CALL(dup2, SYS_dup2, out, null, 0, 0, 0, 0) == null);
        CALL(write, SYS_write, null, "x", 1, 0, 0, 0);
    } else if (is("unhooked"))
        by_hand(SYS_write, out, (long)"x", 1, 0, 0, 0);
    else if (is("unmapped"))
        *(volatile int *)page = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    struct epoll_event event;
    char x;
    unseen_wait(1);
    if (is("pipe") || is("end") || is("copy") || is("unhooked"))
        CALL(read, SYS_read, in, &x, 1, 0, 0, 0);
    else if (is("socket"))
        CALL(recvfrom, SYS_recvfrom, pair[1], &x, 1, 0, 0, 0);
    else if (is("epoll"))
        MUST(CALL(epoll_wait, SYS_epoll_wait, epoll, &event, 1, -1, 0, 0) == 1);
    else if (is("unmapped")) {
        MUST(CALL(munmap, SYS_munmap, page, 4096, 0, 0, 0, 0) == 0);
        MUST(by_hand(SYS_mmap, (long)page, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (long)page);
        *(volatile int *)page = 2;
        return unused;
    }
    data = 2;
    return unused;
}

static void in_threads(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, one, NULL);
    pthread_create(&thread[1], NULL, other, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}

static void *idles(void *unused)
{
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

/* With another thread about. */
static int forks(void)
{
    pthread_t other;
    int status;
    pthread_create(&other, NULL, idles, NULL);
    unseen_wait(1);
    __sanitizer_syscall_pre_impl_fork();
    long child = by_hand(SYS_fork, 0, 0, 0, 0, 0, 0);
    __sanitizer_syscall_post_impl_fork(child);
    if (child == 0) {
        what = "unhooked";
        unseen_signal(0);
        in_threads(first, second); /* a race, and the child's */
        exit(0);
    }
    MUST(child > 0 && waitpid((pid_t)child, &status, 0) == child);
    unseen_signal(2);
    pthread_join(other, NULL);
    return WEXITSTATUS(status) == 66 ? 0 : 98;
}

int main(int argc, char **argv)
{
    what = argv[1];
    prepare();
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (is("fork"))
        return forks();
    if (argc > 2) {
        byte = atoi(argv[2]);
        how = argv[3];
        in_threads(touches, calls);
        return 0;
    }
    if (is("exit_group"))
        what = "unhooked";
    in_threads(first, second);
    if (strcmp(argv[1], "exit_group") == 0) {
        __sanitizer_syscall_pre_impl_exit_group(3);
        by_hand(SYS_exit_group, 3, 0, 0, 0, 0, 0);
    }
    return 0;
}
