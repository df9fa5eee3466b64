/* <sanitizer/linux_syscall_hooks.h>: what a program calls around a system call that it makes by hand. The call then counts as
 * one of libc's function would: the table (syscall_hooks.def) has the same steps as the interceptors.
 *
 * A hook has as many arguments as its call, all of them registers; those that it does not name it does not look at. */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>

#include "runtime/completeness.h"
#include "runtime/end.h"
#include "runtime/intercept/io.h"
#include "runtime/intercept/signal_order.h"
#include "runtime/intercept/steps.h"
#include "runtime/report.h"
#include "runtime/world.h"

#define ENTRY __attribute__((visibility("default")))

/* --- the table's language --- */

#define READS(p, n)                                                                                          \
    if ((p) != 0)                                                                                            \
        io_reads((const void *)(p), (size_t)(n), pc);
#define WRITES(p, n)                                                                                         \
    if ((p) != 0)                                                                                            \
        io_writes((void *)(p), (size_t)(n), pc);
#define TEXT(p)                                                                                              \
    if ((p) != 0)                                                                                            \
        io_reads_text((const char *)(p), pc);
#define READS_PIECES(p, n)        io_reads_pieces((const struct iovec *)(p), n, pc);
#define WRITES_PIECES(p, n, size) io_writes_pieces((const struct iovec *)(p), n, (size_t)(size), pc);
#define SENDS(fd)                 fd_release(t, (int)(fd));
#define RECEIVES(fd)              fd_acquire(t, (int)(fd));
#define USES(fd)                  fd_use((int)(fd), pc);
#define OPENED(fd)                fd_opened(t, (int)(fd), pc);
#define NEW(fd)                                                                                              \
    fd_is_new((int)(fd));                                                                                    \
    OPENED(fd)
#define MADE(fd)                                                                                             \
    fd_is_made((int)(fd));                                                                                   \
    OPENED(fd)
#define SIZE(name) sizeof(struct name)

/* A file that must not have been there before is a lock. */
#define LOCK_FILE(flags)                                                                                     \
    if (((flags) & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))                                                \
        fd_locked_by_file(t);
#define CLOSES_OTHER(old, new)                                                                               \
    if (old != new) {                                                                                        \
        t->hook_kept = fd_replacing((int)new, pc); /* was it open? */                                        \
        fd_closing(t, (int)new);                                                                             \
    }
#define COPIES(old, new)                                                                                     \
    if (old != new) {                                                                                        \
        fd_is_copy((int)new, (int)old);                                                                      \
        if (t->hook_kept)                                                                                    \
            fd_replaced((int)new);                                                                           \
        else                                                                                                 \
            OPENED(new)                                                                                      \
    }

/* How much room there is for a name is known only before the call. */
#define ROOM(name, size) t->hook_kept = name_room((void *)(name), (void *)(size));
#define NAME(name, size) name_given((void *)(name), (void *)(size), t->hook_kept, pc);

/* The count, three sets, the time: of both calls. */
#define SELECTS(wait_size)                                                                                   \
    select_begins((int)a, (fd_set *const[]){(fd_set *)b, (fd_set *)c, (fd_set *)d}, (void *)e, wait_size, pc);
#define SELECTED select_ends(t, (int)a, (fd_set *const[]){(fd_set *)b, (fd_set *)c, (fd_set *)d}, pc);

enum { MOST_MESSAGES = 1024 };
#define EACH_MESSAGE(count, step)                                                                            \
    {                                                                                                        \
        struct mmsghdr *message = (struct mmsghdr *)b;                                                       \
        for (long i = 0; i < (count) && i < MOST_MESSAGES; i++)                                              \
            step;                                                                                            \
    }
#define MESSAGE_RECEIVED(m)                                                                                  \
    (message_received(t, &(m).msg_hdr, (m).msg_hdr.msg_namelen, (m).msg_len, pc),                            \
     io_writes(&(m).msg_len, sizeof(m).msg_len, pc))

/* Operations of futex() whose fourth argument is a time. */
#define FUTEX_WAITS(operation)                                                                               \
    (((operation)&FUTEX_CMD_MASK) == FUTEX_WAIT || ((operation)&FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ||      \
     ((operation)&FUTEX_CMD_MASK) == FUTEX_LOCK_PI || ((operation)&FUTEX_CMD_MASK) == FUTEX_WAIT_REQUEUE_PI)

static size_t text_bytes(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length + 1;
}

static void end_by_hand(int status)
{
    int instead = end_exiting(status);
    if (instead != status)
        sys_exit_process(instead);
}

static bool failed(long result)
{
    return result < 0 && result > -4096;
}

/* --- hooks --- */

#define ARGUMENT(name) long name __attribute__((unused))
#define ARGUMENTS      ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e), ARGUMENT(f)

#define BEFORE(call, step)                                                                                   \
    ENTRY void __sanitizer_syscall_pre_impl_##call(ARGUMENTS);                                               \
    ENTRY void __sanitizer_syscall_pre_impl_##call(ARGUMENTS)                                                \
    {                                                                                                        \
        uintptr_t pc __attribute__((unused)) = CALLER_PC;                                                    \
        struct thread *t = caller();                                                                         \
        if (t != NULL) {                                                                                     \
            step                                                                                             \
        }                                                                                                    \
    }

#define AFTER(call, condition, step)                                                                         \
    ENTRY void __sanitizer_syscall_post_impl_##call(ARGUMENT(r), ARGUMENTS);                                 \
    ENTRY void __sanitizer_syscall_post_impl_##call(ARGUMENT(r), ARGUMENTS)                                  \
    {                                                                                                        \
        uintptr_t pc __attribute__((unused)) = CALLER_PC;                                                    \
        struct thread *t = condition ? caller() : NULL;                                                      \
        if (t != NULL) {                                                                                     \
            step                                                                                             \
        }                                                                                                    \
    }

#define HOOK(call, before, after) BEFORE(call, before) AFTER(call, !failed(r), after)
#define ENDS(call, before, after) BEFORE(call, before) AFTER(call, true, after)
#define PLAIN(call)                                                                                          \
    __asm__(".globl __sanitizer_syscall_pre_impl_" #call "\n\t"                                              \
            ".set __sanitizer_syscall_pre_impl_" #call ", __sanitizer_syscall_unhooked\n\t"                  \
            ".globl __sanitizer_syscall_post_impl_" #call "\n\t"                                             \
            ".set __sanitizer_syscall_post_impl_" #call ", __sanitizer_syscall_unhooked");
#define LEFT_OUT(call) PLAIN(call)

ENTRY void __sanitizer_syscall_unhooked(void);
ENTRY void __sanitizer_syscall_unhooked(void)
{
}

#include "runtime/syscall_hooks.def"

/* --- fork: the thread is inside the runtime from the one to the other --- */

ENTRY void __sanitizer_syscall_pre_impl_fork(void);
ENTRY void __sanitizer_syscall_pre_impl_fork(void)
{
    if (caller() != NULL)
        world_before_fork();
}

ENTRY void __sanitizer_syscall_post_impl_fork(long result);
ENTRY void __sanitizer_syscall_post_impl_fork(long result)
{
    struct thread *t = thread_self;
    if (t == NULL || !t->forking)
        return;
    if (result != 0) {
        world_after_fork();
        return;
    }
    world_after_fork_in_child();
    end_forked();
}
