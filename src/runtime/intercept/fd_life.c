/* Where descriptors come from, and where they go. */
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"

/* --- files --- */

#define OPENED(path, lock_file, call)                                                                        \
    IO(                                                                                                      \
        NOTHING, call, if (result >= 0) {                                                                    \
            fd_is_new(result);                                                                               \
            fd_opened(t, result, pc);                                                                        \
            io_reads_text(path, pc);                                                                         \
            if (lock_file)                                                                                   \
                fd_locked_by_file(t);                                                                        \
        })

/* The mode, which is there only when a file may be made. A file that must not have been there before is a
 * lock (unlink() unlocks it). */
#define OPEN_ARGUMENTS(flags)                                                                                \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    bool may_make = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;                              \
    mode_t mode = may_make ? va_arg(arguments, mode_t) : 0;                                                  \
    bool lock_file = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);                                     \
    va_end(arguments)

INTERCEPT int open(const char *path, int flags, ...)
{
    OPEN_ARGUMENTS(flags);
    OPENED(path, lock_file, REAL(open)(path, flags, mode));
}

INTERCEPT int open64(const char *path, int flags, ...)
{
    OPEN_ARGUMENTS(flags);
    OPENED(path, lock_file, REAL(open64)(path, flags, mode));
}

INTERCEPT int openat(int directory, const char *path, int flags, ...)
{
    OPEN_ARGUMENTS(flags);
    OPENED(path, lock_file, REAL(openat)(directory, path, flags, mode));
}

INTERCEPT int openat64(int directory, const char *path, int flags, ...)
{
    OPEN_ARGUMENTS(flags);
    OPENED(path, lock_file, REAL(openat64)(directory, path, flags, mode));
}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

INTERCEPT int __open_2(const char *path, int flags)
{
    OPENED(path, false, REAL(__open_2)(path, flags));
}

INTERCEPT int __open64_2(const char *path, int flags)
{
    OPENED(path, false, REAL(__open64_2)(path, flags));
}

INTERCEPT int __openat_2(int directory, const char *path, int flags)
{
    OPENED(path, false, REAL(__openat_2)(directory, path, flags));
}

INTERCEPT int __openat64_2(int directory, const char *path, int flags)
{
    OPENED(path, false, REAL(__openat64_2)(directory, path, flags));
}

INTERCEPT int creat(const char *path, mode_t mode)
{
    OPENED(path, false, REAL(creat)(path, mode));
}

INTERCEPT int creat64(const char *path, mode_t mode)
{
    OPENED(path, false, REAL(creat64)(path, mode));
}

INTERCEPT int unlink(const char *path)
{
    IO(fd_unlocking_by_file(t), REAL(unlink)(path), if (result == 0) io_reads_text(path, pc));
}

/* --- pipes, and what has no file --- */

#define TWO_MADE(fd, call, known)                                                                            \
    IO(                                                                                                      \
        NOTHING, call, if (result == 0) {                                                                    \
            known;                                                                                           \
            fd_opened(t, fd[0], pc);                                                                         \
            fd_opened(t, fd[1], pc);                                                                         \
            io_writes(fd, 2 * sizeof *fd, pc);                                                               \
        })
#define ARE_NEW(fd) (fd_is_new(fd[0]), fd_is_new(fd[1]))

INTERCEPT int pipe(int fd[2])
{
    TWO_MADE(fd, REAL(pipe)(fd), ARE_NEW(fd));
}

INTERCEPT int pipe2(int fd[2], int flags)
{
    TWO_MADE(fd, REAL(pipe2)(fd, flags), ARE_NEW(fd));
}

INTERCEPT int socketpair(int domain, int type, int protocol, int fd[2])
{
    TWO_MADE(fd, REAL(socketpair)(domain, type, protocol, fd), fd_are_pair(fd));
}

INTERCEPT int socket(int domain, int type, int protocol)
{
    IO_OPENS(NOTHING, REAL(socket)(domain, type, protocol), fd_is_new(result));
}

INTERCEPT int eventfd(unsigned value, int flags)
{
    IO_OPENS(NOTHING, REAL(eventfd)(value, flags), fd_is_made(result));
}

INTERCEPT int inotify_init(void)
{
    IO_OPENS(NOTHING, REAL(inotify_init)(), fd_is_made(result));
}

INTERCEPT int inotify_init1(int flags)
{
    IO_OPENS(NOTHING, REAL(inotify_init1)(flags), fd_is_made(result));
}

INTERCEPT int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    IO_ON(fd, fd_release(t, fd), REAL(inotify_add_watch)(fd, path, mask),
          if (result >= 0) io_reads_text(path, pc));
}

INTERCEPT int timerfd_create(clockid_t clock, int flags)
{
    IO_OPENS(NOTHING, REAL(timerfd_create)(clock, flags), fd_is_made(result));
}

/* A read that says that the timer has expired comes after the call that set it. */
INTERCEPT int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    IO_ON(
        fd,
        {
            io_reads(new, sizeof *new, pc);
            fd_release(t, fd);
        },
        REAL(timerfd_settime)(fd, flags, new, old),
        if (result == 0 && old != NULL) io_writes(old, sizeof *old, pc));
}

INTERCEPT int signalfd(int fd, const sigset_t *mask, int flags)
{
    IO_ON(
        fd, io_reads(mask, _NSIG / 8, pc), REAL(signalfd)(fd, mask, flags), if (result >= 0) {
            fd_gives(result, peg(PEG_SINGLE, PEG_ANY_SIGNAL));
            if (fd < 0)
                fd_opened(t, result, pc);
        });
}

/* --- copies --- */

INTERCEPT int dup(int old)
{
    IO_ON(
        old, NOTHING, REAL(dup)(old), if (result >= 0) {
            fd_is_copy(result, old);
            fd_opened(t, result, pc);
        });
}

/* What was there before is closed. */
#define REPLACED(old, new, call)                                                                             \
    bool was_open = false;                                                                                   \
    IO_ON(                                                                                                   \
        old,                                                                                                 \
        if (old != new) {                                                                                    \
            was_open = fd_replacing(new, pc);                                                                \
            fd_closing(t, new);                                                                              \
        },                                                                                                   \
        call,                                                                                                \
        if (result >= 0 && old != new) {                                                                     \
            fd_is_copy(new, old);                                                                            \
            if (was_open)                                                                                    \
                fd_replaced(new);                                                                            \
            else                                                                                             \
                fd_opened(t, new, pc);                                                                       \
        })

int __dup2(int old, int new);

INTERCEPT int dup2(int old, int new)
{
    REPLACED(old, new, REAL(dup2)(old, new));
}

INTERCEPT int __dup2(int old, int new)
{
    REPLACED(old, new, REAL(__dup2)(old, new));
}

INTERCEPT int dup3(int old, int new, int flags)
{
    REPLACED(old, new, REAL(dup3)(old, new, flags));
}

/* Locks that belong to an open file, not to the process, keep threads apart. One for writing may become one
 * for reading: that lets others in. */
static bool locks(int command)
{
    return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

/* F_GETFD and F_SETFD say nothing of what is done with it: programs ask them of all numbers. */
static bool uses(int command)
{
    return command != F_GETFD && command != F_SETFD;
}

void fd_control(struct thread *t, int fd, int command, const struct flock *lock, uintptr_t pc)
{
    if (uses(command))
        fd_use(fd, pc);
    if (locks(command) && io_can_read(lock, sizeof *lock) && lock->l_type != F_WRLCK)
        fd_release(t, fd);
}

void fd_controlled(struct thread *t, int fd, int command, const struct flock *lock, int result, uintptr_t pc)
{
    if (result < 0)
        return;
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        fd_is_copy(result, fd);
        fd_opened(t, result, pc);
    }
    if (locks(command) && lock->l_type != F_UNLCK)
        fd_acquire(t, fd);
}

#define CONTROL(function)                                                                                    \
    va_list arguments;                                                                                       \
    va_start(arguments, command);                                                                            \
    void *argument = va_arg(arguments, void *);                                                              \
    va_end(arguments);                                                                                       \
    IO(fd_control(t, fd, command, argument, pc), REAL(function)(fd, command, argument),                      \
       fd_controlled(t, fd, command, argument, result, pc))

int __fcntl(int fd, int command, ...);

INTERCEPT int fcntl(int fd, int command, ...)
{
    CONTROL(fcntl);
}

INTERCEPT int fcntl64(int fd, int command, ...)
{
    CONTROL(fcntl64);
}

INTERCEPT int __fcntl(int fd, int command, ...)
{
    CONTROL(__fcntl);
}

INTERCEPT int flock(int fd, int operation)
{
    IO_ON(fd, if (operation & (LOCK_UN | LOCK_SH)) fd_release(t, fd), REAL(flock)(fd, operation),
          if (result == 0 && !(operation & LOCK_UN)) fd_acquire(t, fd));
}

/* --- what only uses one --- */

#define USES(type, function, parameters, arguments)                                                          \
    INTERCEPT type function parameters                                                                       \
    {                                                                                                        \
        IO_ON(fd, NOTHING, REAL(function) arguments, NOTHING);                                               \
    }

USES(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from))
USES(off64_t, lseek64, (int fd, off64_t offset, int from), (fd, offset, from))
USES(int, fsync, (int fd), (fd))
USES(int, fdatasync, (int fd), (fd))
USES(int, ftruncate, (int fd, off_t size), (fd, size))
USES(int, ftruncate64, (int fd, off64_t size), (fd, size))
USES(int, syncfs, (int fd), (fd))
USES(int, isatty, (int fd), (fd))
USES(int, fchdir, (int fd), (fd))
USES(int, fchmod, (int fd, mode_t mode), (fd, mode))
USES(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
USES(int, lockf, (int fd, int command, off_t size), (fd, command, size))
USES(int, lockf64, (int fd, int command, off64_t size), (fd, command, size))
USES(int, fallocate, (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
USES(int, fallocate64, (int fd, int mode, off64_t from, off64_t size), (fd, mode, from, size))
USES(int, posix_fallocate, (int fd, off_t from, off_t size), (fd, from, size))
USES(int, posix_fallocate64, (int fd, off64_t from, off64_t size), (fd, from, size))
USES(int, posix_fadvise, (int fd, off_t from, off_t size, int advice), (fd, from, size, advice))
USES(int, posix_fadvise64, (int fd, off64_t from, off64_t size, int advice), (fd, from, size, advice))

USES(int, futimens, (int fd, const struct timespec times[2]), (fd, times))
USES(int, futimes, (int fd, const struct timeval times[2]), (fd, times))
USES(ssize_t, readahead, (int fd, off64_t from, size_t size), (fd, from, size))
USES(int, sync_file_range, (int fd, off64_t from, off64_t size, unsigned flags), (fd, from, size, flags))
USES(int, inotify_rm_watch, (int fd, int watch), (fd, watch))

INTERCEPT int timerfd_gettime(int fd, struct itimerspec *now)
{
    IO_ON(fd, NOTHING, REAL(timerfd_gettime)(fd, now), if (result == 0) io_writes(now, sizeof *now, pc));
}

INTERCEPT int tcgetattr(int fd, struct termios *now)
{
    IO_ON(fd, NOTHING, REAL(tcgetattr)(fd, now), if (result == 0) io_writes(now, sizeof *now, pc));
}

INTERCEPT int tcsetattr(int fd, int when, const struct termios *new)
{
    IO_ON(fd, io_reads(new, sizeof *new, pc), REAL(tcsetattr)(fd, when, new), NOTHING);
}

INTERCEPT int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    IO_ON(fd, NOTHING, REAL(ioctl)(fd, request, argument), NOTHING);
}

/* --- ends --- */

int __close(int fd);

#define CLOSED(call)                                                                                         \
    IO(                                                                                                      \
        {                                                                                                    \
            fd_close(t, fd, pc);                                                                             \
            fd_closing(t, fd);                                                                               \
        },                                                                                                   \
        call, NOTHING)

INTERCEPT int close(int fd)
{
    CLOSED(REAL(close)(fd));
}

INTERCEPT int __close(int fd)
{
    CLOSED(REAL(__close)(fd));
}

INTERCEPT int close_range(unsigned first, unsigned last, int flags)
{
    IO(if (!(flags & (int)CLOSE_RANGE_CLOEXEC)) fd_closing_all(t, first, last, pc),
       REAL(close_range)(first, last, flags), NOTHING);
}

INTERCEPT void closefrom(int first)
{
    struct thread *t = caller();
    if (t != NULL)
        fd_closing_all(t, first < 0 ? 0 : (unsigned)first, ~0u, CALLER_PC);
    REAL(closefrom)(first);
}
