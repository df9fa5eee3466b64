/* read, write and their relatives. */
#include "runtime/intercept/io.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/intercept/libc.h"

/* --- the caller's memory --- */

static bool is_memory(const void *address, size_t size)
{
    const uintptr_t end = UINT64_C(1) << 47;
    return size > 0 && (uintptr_t)address < end && size <= end - (uintptr_t)address;
}

/* The kernel is asked by a call that reads a set of signals and then finds that what it is to do with it does
 * not exist. One look for each page. (It takes a null pointer for no set.) */
bool io_can_read(const void *from, size_t size)
{
    enum { PAGE = 4096, SET = 8, NO_WAY = -1 };
    if (!is_memory(from, size) || (uintptr_t)from < PAGE)
        return false;
    uintptr_t end = (uintptr_t)from + size;
    for (uintptr_t at = (uintptr_t)from & -(uintptr_t)SET; at < end; at = (at | (PAGE - 1)) + 1)
        if (sys_call6(SYS_rt_sigprocmask, NO_WAY, (long)at, 0, SET, 0, 0) == -EFAULT)
            return false;
    return true;
}

/* More than the kernel takes at once. */
static size_t at_most(size_t size)
{
    return size < INT_MAX ? size : INT_MAX;
}

static void touch(const void *address, size_t size, enum access_kind kind, uintptr_t pc)
{
    if (is_memory(address, size) && libc_watched(pc))
        access_slow((uintptr_t)address, size, kind, pc);
}

void io_reads(const void *from, size_t size, uintptr_t pc)
{
    touch(from, at_most(size), PLAIN_READ, pc);
}

void io_writes(void *to, size_t size, uintptr_t pc)
{
    touch(to, size, PLAIN_WRITE, pc);
}

void io_reads_text(const char *text, uintptr_t pc)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    io_reads(text, length + 1, pc);
}

static bool may_be(long count)
{
    return count > 0 && count <= IOV_MAX;
}

void io_reads_pieces(const struct iovec *piece, long count, uintptr_t pc)
{
    if (!may_be(count) || !libc_watched(pc) || !io_can_read(piece, (size_t)count * sizeof *piece))
        return;
    io_reads(piece, (size_t)count * sizeof *piece, pc);
    for (long i = 0; i < count; i++)
        io_reads(piece[i].iov_base, piece[i].iov_len, pc);
}

void io_writes_pieces(const struct iovec *piece, long count, size_t size, uintptr_t pc)
{
    if (!may_be(count) || !libc_watched(pc))
        return;
    io_reads(piece, (size_t)count * sizeof *piece, pc);
    for (long i = 0; i < count && size > 0; i++) {
        size_t here = piece[i].iov_len < size ? piece[i].iov_len : size;
        io_writes(piece[i].iov_base, here, pc);
        size -= here;
    }
}

/* --- out of a descriptor --- */

/* Pieces from, or to, a position. */
#define PIECES_AT(way, function, position)                                                                   \
    INTERCEPT ssize_t function(int fd, const struct iovec *piece, int count, position at)                    \
    {                                                                                                        \
        way(fd, REAL(function)(fd, piece, count, at), piece, count);                                         \
    }
#define PIECES_AT_FLAGS(way, function, position)                                                             \
    INTERCEPT ssize_t function(int fd, const struct iovec *piece, int count, position at, int flags)         \
    {                                                                                                        \
        way(fd, REAL(function)(fd, piece, count, at, flags), piece, count);                                  \
    }

#define COMES_IN(fd, call, to)                                                                               \
    IO_ON(                                                                                                   \
        fd, NOTHING, call, if (result >= 0) {                                                                \
            fd_acquire(t, fd);                                                                               \
            io_writes(to, (size_t)result, pc);                                                               \
        })

#define COMES_IN_PIECES(fd, call, piece, count)                                                              \
    IO_ON(                                                                                                   \
        fd, NOTHING, call, if (result >= 0) {                                                                \
            fd_acquire(t, fd);                                                                               \
            io_writes_pieces(piece, count, (size_t)result, pc);                                              \
        })

ssize_t __read(int fd, void *to, size_t size);
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __pread64(int fd, void *to, size_t size, off64_t at);
ssize_t __pread_chk(int fd, void *to, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t at, size_t room);

INTERCEPT ssize_t read(int fd, void *to, size_t size)
{
    COMES_IN(fd, REAL(read)(fd, to, size), to);
}

INTERCEPT ssize_t __read(int fd, void *to, size_t size)
{
    COMES_IN(fd, REAL(__read)(fd, to, size), to);
}

INTERCEPT ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
    COMES_IN(fd, REAL(__read_chk)(fd, to, size, room), to);
}

INTERCEPT ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    COMES_IN(fd, REAL(pread)(fd, to, size, at), to);
}

INTERCEPT ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
    COMES_IN(fd, REAL(pread64)(fd, to, size, at), to);
}

INTERCEPT ssize_t __pread64(int fd, void *to, size_t size, off64_t at)
{
    COMES_IN(fd, REAL(__pread64)(fd, to, size, at), to);
}

INTERCEPT ssize_t __pread_chk(int fd, void *to, size_t size, off_t at, size_t room)
{
    COMES_IN(fd, REAL(__pread_chk)(fd, to, size, at, room), to);
}

INTERCEPT ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t at, size_t room)
{
    COMES_IN(fd, REAL(__pread64_chk)(fd, to, size, at, room), to);
}

INTERCEPT ssize_t readv(int fd, const struct iovec *piece, int count)
{
    COMES_IN_PIECES(fd, REAL(readv)(fd, piece, count), piece, count);
}

PIECES_AT(COMES_IN_PIECES, preadv, off_t)
PIECES_AT(COMES_IN_PIECES, preadv64, off64_t)
PIECES_AT_FLAGS(COMES_IN_PIECES, preadv2, off_t)
PIECES_AT_FLAGS(COMES_IN_PIECES, preadv64v2, off64_t)

/* --- into a descriptor --- */

#define GOES_OUT_PIECES(fd, call, piece, count)                                                              \
    IO_ON(                                                                                                   \
        fd,                                                                                                  \
        {                                                                                                    \
            io_reads_pieces(piece, count, pc);                                                               \
            fd_release(t, fd);                                                                               \
        },                                                                                                   \
        call, NOTHING)

ssize_t __write(int fd, const void *from, size_t size);
ssize_t __pwrite64(int fd, const void *from, size_t size, off64_t at);

INTERCEPT ssize_t write(int fd, const void *from, size_t size)
{
    GOES_OUT(fd, REAL(write)(fd, from, size), from, size);
}

INTERCEPT ssize_t __write(int fd, const void *from, size_t size)
{
    GOES_OUT(fd, REAL(__write)(fd, from, size), from, size);
}

INTERCEPT ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
    GOES_OUT(fd, REAL(pwrite)(fd, from, size, at), from, size);
}

INTERCEPT ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at)
{
    GOES_OUT(fd, REAL(pwrite64)(fd, from, size, at), from, size);
}

INTERCEPT ssize_t __pwrite64(int fd, const void *from, size_t size, off64_t at)
{
    GOES_OUT(fd, REAL(__pwrite64)(fd, from, size, at), from, size);
}

INTERCEPT ssize_t writev(int fd, const struct iovec *piece, int count)
{
    GOES_OUT_PIECES(fd, REAL(writev)(fd, piece, count), piece, count);
}

PIECES_AT(GOES_OUT_PIECES, pwritev, off_t)
PIECES_AT(GOES_OUT_PIECES, pwritev64, off64_t)
PIECES_AT_FLAGS(GOES_OUT_PIECES, pwritev2, off_t)
PIECES_AT_FLAGS(GOES_OUT_PIECES, pwritev64v2, off64_t)

INTERCEPT ssize_t vmsplice(int fd, const struct iovec *piece, size_t count, unsigned flags)
{
    GOES_OUT_PIECES(fd, REAL(vmsplice)(fd, piece, count, flags), piece, (long)count);
}

/* --- from one into another --- */

#define PASSES_ON(from, to, call)                                                                            \
    IO_ON(                                                                                                   \
        from,                                                                                                \
        {                                                                                                    \
            fd_use(to, pc);                                                                                  \
            fd_feeds(t, from, to);                                                                           \
        },                                                                                                   \
        call, if (result >= 0) fd_acquire(t, from))

INTERCEPT ssize_t sendfile(int to, int from, off_t *at, size_t size)
{
    PASSES_ON(from, to, REAL(sendfile)(to, from, at, size));
}

INTERCEPT ssize_t sendfile64(int to, int from, off64_t *at, size_t size)
{
    PASSES_ON(from, to, REAL(sendfile64)(to, from, at, size));
}

INTERCEPT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
    PASSES_ON(from, to, REAL(splice)(from, from_at, to, to_at, size, flags));
}

INTERCEPT ssize_t tee(int from, int to, size_t size, unsigned flags)
{
    PASSES_ON(from, to, REAL(tee)(from, to, size, flags));
}

INTERCEPT ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                                  unsigned flags)
{
    PASSES_ON(from, to, REAL(copy_file_range)(from, from_at, to, to_at, size, flags));
}

/* --- counters --- */

INTERCEPT int eventfd_read(int fd, eventfd_t *value)
{
    IO_ON(
        fd, NOTHING, REAL(eventfd_read)(fd, value), if (result == 0) {
            fd_acquire(t, fd);
            io_writes(value, sizeof *value, pc);
        });
}

INTERCEPT int eventfd_write(int fd, eventfd_t value)
{
    IO_ON(fd, fd_release(t, fd), REAL(eventfd_write)(fd, value), NOTHING);
}
