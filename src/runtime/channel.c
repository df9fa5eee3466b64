/* A channel is not shared with another process: after a fork, the child opens its own. The inode shows
 * whether the program has closed our descriptor, and perhaps got its number again for something else. */
#include "runtime/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/out.h"
#include "runtime/helper_path.h"
#include "runtime/options.h"
#include "runtime/secure.h"

enum { HIGH_DESCRIPTOR = 900, ANSWER_SECONDS = 300 };

static struct {
    int fd;
    uint64_t inode;
    int pid;     /* of the process that opened it; 0: not open */
    bool parent; /* it goes to `photofinish run` */
    int gave_up; /* pid of a process for which no way could be found */
} channel;

/* --- sockets --- */

static uint64_t inode_of(int fd)
{
    struct stat st;
    return sys_call3(SYS_fstat, fd, (long)&st, 0) == 0 ? st.st_ino : 0;
}

static int process(void)
{
    return (int)sys_call3(SYS_getpid, 0, 0, 0);
}

/* Out of the way of programs that expect small numbers, as far as the limit allows. */
static int moved_up(int fd)
{
    long high = sys_call3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        high = sys_call3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
    sys_call3(SYS_close, fd, 0, 0);
    return (int)high;
}

static bool socket_pair(int fd[2])
{
    if (sys_call6(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, (long)fd, 0, 0) < 0)
        return false;
    fd[0] = moved_up(fd[0]);
    fd[1] = moved_up(fd[1]);
    if (fd[0] >= 0 && fd[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0)
            sys_call3(SYS_close, fd[i], 0, 0);
    return false;
}

/* One packet, with a descriptor unless it is -1. */
static bool send_packet(int fd, const void *bytes, size_t length, int passed)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {
        .header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (passed >= 0) {
        *(int *)CMSG_DATA(&control.header) = passed;
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    long sent;
    do
        sent = sys_call3(SYS_sendmsg, fd, (long)&message, MSG_NOSIGNAL);
    while (sent == -4); /* EINTR */
    return sent == (long)length;
}

/* --- photofinish run --- */

/* Where it listens, from the environment at the start; size 0: nowhere. */
static struct sockaddr_un parent;
static size_t parent_size;

void channel_find_parent(void)
{
    const char *name = options_environment(WIRE_VARIABLE);
    size_t length = 0;
    if (name == NULL)
        return;
    parent.sun_family = AF_UNIX;
    for (; name[length] != '\0' && length < sizeof parent.sun_path - 1; length++)
        parent.sun_path[1 + length] = name[length]; /* abstract: after a zero */
    parent_size = offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

bool channel_has_parent(void)
{
    return parent_size > 0;
}

/* Everybody can see the name, and take it once `photofinish run` has ended. A process that listens there would get reports and
 * a descriptor of the program's, and could say that a race does not count. */
static bool is_trusted(long fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return sys_call6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0) == 0 &&
           secure_trusts(peer.uid);
}

/* A socket that is connected to it, or -1. */
static int connect_to_parent(void)
{
    long fd = parent_size > 0 ? sys_call3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    if (sys_call3(SYS_connect, fd, (long)&parent, (long)parent_size) == 0 && is_trusted(fd))
        return moved_up((int)fd);
    sys_call3(SYS_close, fd, 0, 0);
    return -1;
}

static bool open_to_parent(void)
{
    channel.fd = connect_to_parent();
    return channel.fd >= 0;
}

/* --- the helper --- */

/* What the new process needs; it runs in our memory until it has become another program. */
static struct {
    struct helper_path program;
    int fd;
    char digits[12];
    char *argument[5];
    long failed;
} helper;

static void number_text(char *text, unsigned number)
{
    char reversed[12];
    size_t count = 0;
    do
        reversed[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    for (size_t i = 0; i < count; i++)
        text[i] = reversed[count - 1 - i];
    text[count] = '\0';
}

/* The grandchild: becomes the helper, with nothing of the program's but its directory and standard
 * descriptors. Signals stay blocked until it has: a handler must not run here. */
static void become_helper(void)
{
    static char *no_environment[] = {NULL};
    int fd = helper.fd;
    sys_call3(SYS_close_range, 3, fd - 1, 0);
    sys_call3(SYS_close_range, fd + 1, UINT32_MAX, 0);
    sys_call3(SYS_fcntl, fd, F_SETFD, 0);
    helper.failed =
        sys_call3(SYS_execve, (long)helper.program.path, (long)helper.argument, (long)no_environment);
}

static long run_apart(void (*function)(void), char *stack_end);

/* The child: starts the helper and is gone, so that the program has no child that it does not know of. */
static void start_helper(void)
{
    static char stack[16 << 10] __attribute__((aligned(16)));
    long pid = run_apart(become_helper, stack + sizeof stack);
    if (pid < 0)
        helper.failed = pid;
}

/* Runs a function in a child process that shares our memory, on a stack of its own, and waits until the child
 * has ended or become another program. No signal is sent when it ends, and the program's wait() does not see
 * it. Not fork() or posix_spawn(): those run the program's handlers and may be intercepted. */
static long run_apart(void (*function)(void), char *stack_end)
{
    long pid;
    ((void (**)(void))stack_end)[-3] = function; /* taken off, it leaves the stack aligned for the call */
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "pop %%rax\n\t"
                     "call *%%rax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "mov %[exit], %%eax\n\t"
                     "syscall\n\t"
                     "1:"
                     : "=a"(pid)
                     : "a"((long)SYS_clone), "D"((long)(CLONE_VM | CLONE_VFORK)), "S"(stack_end - 24),
                       "d"(0L), "r"(r10), "r"(r8), [exit] "i"(SYS_exit)
                     : "rcx", "r11", "memory");
    return pid;
}

static bool open_to_helper(void)
{
    static char stack[16 << 10] __attribute__((aligned(16)));
    int pair[2];
    if (secure_mode())
        return false;
    helper_path_find(&helper.program);
    if (helper.program.problem != NULL)
        return false;
    helper.program.problem = "could not be started";
    if (!socket_pair(pair))
        return false;
    helper.fd = pair[1];
    helper.failed = 0;
    number_text(helper.digits, (unsigned)pair[1]);
    helper.argument[0] = (char *)"photofinish";
    helper.argument[1] = (char *)"symbolize";
    helper.argument[2] = (char *)"--channel";
    helper.argument[3] = helper.digits;
    long pid = run_apart(start_helper, stack + sizeof stack);
    sys_call3(SYS_close, pair[1], 0, 0);
    if (pid > 0)
        sys_call6(SYS_wait4, pid, 0, (long)(unsigned)__WALL, 0, 0, 0);
    if (pid <= 0 || helper.failed != 0) {
        sys_call3(SYS_close, pair[0], 0, 0);
        return false;
    }
    channel.fd = pair[0];
    helper.program.problem = "does not answer any more";
    return true;
}

void channel_put_problem(struct out *out)
{
    static int told; /* the process that has it */
    if (secure_mode() || told == process() || helper.program.problem == NULL)
        return;
    told = process();
    out_text(out, "photofinish: reports have no names: ");
    out_text(out, helper.program.path);
    out_text(out, helper.program.path[0] != '\0' ? " " : "");
    out_text(out, helper.program.problem);
    out_text(out, " (photofinish run PROGRAM shows them)\n");
}

/* --- the channel --- */

static bool say(enum wire_kind kind)
{
    struct wire_header h = {
        .magic = WIRE_MAGIC, .kind = kind, .length = sizeof h, .pid = (uint32_t)process()};
    int fd = connect_to_parent();
    if (fd < 0)
        return false;
    bool sent = send_packet(fd, &h, sizeof h, -1);
    sys_call3(SYS_close, fd, 0, 0);
    return sent;
}

void channel_hello(void)
{
    channel_find_parent();
    say(WIRE_HELLO);
}

void channel_refuse(void)
{
    channel_find_parent();
    say(WIRE_REFUSED);
}

bool channel_unseen(void)
{
    return say(WIRE_UNSEEN);
}

/* --- the tape --- */

/* One packet, with the descriptor that may come with it, or -1. */
static long receive_packet(int fd, void *bytes, size_t length, int *passed)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {bytes, length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    long got;
    do
        got = sys_call3(SYS_recvmsg, fd, (long)&message, MSG_CMSG_CLOEXEC);
    while (got == -4); /* EINTR */
    *passed = -1;
    if (got >= 0 && message.msg_controllen >= CMSG_LEN(sizeof(int)) && control.header.cmsg_type == SCM_RIGHTS)
        *passed = *(int *)CMSG_DATA(&control.header);
    return got;
}

bool channel_tape(uint64_t what, int *memory)
{
    struct {
        struct wire_header header;
        uint64_t what;
    } question = {{WIRE_MAGIC, WIRE_TAPE, sizeof question, (uint32_t)process()}, what};
    struct wire_verdict answer = {.counts = 0};
    int passed = -1, fd = connect_to_parent();
    if (fd < 0)
        return false;
    bool good = send_packet(fd, &question, sizeof question, -1) &&
                receive_packet(fd, &answer, sizeof answer, &passed) == sizeof answer;
    sys_call3(SYS_close, fd, 0, 0);
    if (memory != NULL)
        *memory = passed;
    else if (passed >= 0)
        sys_call3(SYS_close, passed, 0, 0);
    return good && answer.header.magic == WIRE_MAGIC && answer.counts != 0;
}

/* --- settings --- */

/* Bytes as numbers of a message; returns how many. */
static size_t put_bytes(uint64_t *at, const void *bytes, size_t length)
{
    at[0] = length;
    for (size_t i = 0; i < length; i++)
        ((char *)(at + 1))[i] = ((const char *)bytes)[i];
    return 1 + (length + 7) / 8;
}

/* The thread's, as the main thread may have ended: then the process has none. (Linux 3.17.) */
static long own_program(char *path, size_t size)
{
    long length = sys_call3(SYS_readlink, (long)"/proc/thread-self/exe", (long)path, (long)size);
    return length > 0 ? length : sys_call3(SYS_readlink, (long)"/proc/self/exe", (long)path, (long)size);
}

static bool send_settings(void)
{
    static union {
        struct wire_header header;
        uint64_t number[WIRE_MOST_BYTES / 8];
    } message;
    static char program[4096];
    size_t used = sizeof message.header / 8, length = 0;
    used += put_bytes(message.number + used, &runtime_options, sizeof runtime_options);
    size_t most = sizeof message - 8 * used - sizeof program - 64;
    while (length < most && options_default_suppressions[length] != '\0')
        length++;
    used += put_bytes(message.number + used, options_default_suppressions, length);
    long path = own_program(program, sizeof program);
    used += put_bytes(message.number + used, program, path > 0 ? (size_t)path : 0);
    message.header = (struct wire_header){.magic = WIRE_MAGIC,
                                          .kind = WIRE_SETTINGS,
                                          .length = (uint32_t)(8 * used),
                                          .pid = (uint32_t)process()};
    return send_packet(channel.fd, &message, message.header.length, -1);
}
_Static_assert(sizeof(struct options) + 8192 < WIRE_MOST_BYTES, "settings fit a message");

void channel_close(void)
{
    if (channel.pid != 0 && inode_of(channel.fd) == channel.inode)
        sys_call3(SYS_close, channel.fd, 0, 0);
    channel.pid = 0;
}

void channel_forked(void)
{
    channel_close();
}

static bool is_open(void)
{
    return channel.pid == process() && inode_of(channel.fd) == channel.inode;
}

bool channel_parent_knows(void)
{
    return is_open() && channel.parent;
}

static bool open_channel(bool (*way)(void))
{
    channel_close();
    if (!way())
        return false;
    channel.pid = process();
    channel.parent = way == open_to_parent;
    channel.inode = inode_of(channel.fd);
    if (send_settings())
        return true;
    channel_close();
    return false;
}

/* False: the other end is gone. */
static bool receive(struct wire_verdict *answer)
{
    for (;;) {
        struct pollfd poll = {.fd = channel.fd, .events = POLLIN};
        struct timespec limit = {.tv_sec = ANSWER_SECONDS};
        long ready = sys_call6(SYS_ppoll, (long)&poll, 1, (long)&limit, 0, 0, 0);
        if (ready == -4) /* EINTR */
            continue;
        if (ready <= 0)
            return false;
        long got = sys_call6(SYS_recvfrom, channel.fd, (long)answer, sizeof *answer, 0, 0, 0);
        if (got == -4)
            continue;
        return got == sizeof *answer && answer->header.magic == WIRE_MAGIC &&
               answer->header.kind == WIRE_VERDICT;
    }
}

static bool ask(const struct wire_header *message, int text_fd, struct wire_verdict *answer)
{
    int passed = text_fd >= 0 && inode_of(text_fd) != 0 ? text_fd : -1;
    bool good = send_packet(channel.fd, message, message->length, passed) && receive(answer);
    if (!good)
        channel_close();
    return good;
}

static bool ask_by(size_t way_count, struct wire_header *message, size_t length, int text_fd,
                   struct wire_verdict *answer)
{
    static bool (*const ways[])(void) = {open_to_parent, open_to_helper};
    message->magic = WIRE_MAGIC;
    message->length = (uint32_t)length;
    message->pid = (uint32_t)process();
    if (channel.gave_up == process())
        return false;
    if (is_open() && ask(message, text_fd, answer))
        return true;
    for (size_t i = 0; i < way_count; i++)
        if (open_channel(ways[i]) && ask(message, text_fd, answer))
            return true;
    channel.gave_up = process();
    return false;
}

bool channel_ask(struct wire_header *message, size_t length, int text_fd, struct wire_verdict *answer)
{
    return ask_by(2, message, length, text_fd, answer);
}

bool channel_ask_present(struct wire_header *message, size_t length, int text_fd, struct wire_verdict *answer)
{
    return ask_by(1, message, length, text_fd, answer);
}
