/* How an interceptor of a function that takes a file descriptor is written: one line for what comes before
 * the real call, one for what follows it.
 *
 * What the call takes from the caller's memory counts as read before the release, and what it puts there as written
 * after the acquire: the thread at the other end of the data may use the memory that it came from, and the other way
 * round. Whose calls count as accesses: libc.h.
 */
#pragma once

#include <errno.h>

#include "runtime/intercept/fd.h"
#include "runtime/intercept/memory.h"

struct iovec;

/* result = call, with `before` and `after` around it if it is the program that calls; `t` and `pc` are the
 * thread and the place of the call. */
#define IO(before, call, after)                                                                              \
    do {                                                                                                     \
        struct thread *t = caller();                                                                         \
        uintptr_t pc = CALLER_PC;                                                                            \
        if (unlikely(t == NULL))                                                                             \
            return call;                                                                                     \
        (void)pc;                                                                                            \
        before;                                                                                              \
        __auto_type result = call;                                                                           \
        after;                                                                                               \
        return result;                                                                                       \
    } while (0)
#define NOTHING (void)0

/* IO for a call that uses a descriptor. The allocator's descriptors order nothing for the program. */
#define IO_ON(fd, before, call, after)                                                                       \
    if (memory_is_allocator(CALLER_PC))                                                                      \
        return call;                                                                                         \
    IO(                                                                                                      \
        {                                                                                                    \
            fd_use(fd, pc);                                                                                  \
            before;                                                                                          \
        },                                                                                                   \
        call, after)
/* IO for a call whose result is a new descriptor. */
#define IO_OPENS(before, call, after)                                                                        \
    IO(                                                                                                      \
        before, call, if (result >= 0) {                                                                     \
            after;                                                                                           \
            fd_opened(t, result, pc);                                                                        \
        })

/* The caller's memory is read, or written. Addresses that are none are left to the kernel to refuse. */
HIDDEN void io_reads(const void *from, size_t size, uintptr_t pc);
HIDDEN void io_writes(void *to, size_t size, uintptr_t pc);
HIDDEN void io_reads_text(const char *text, uintptr_t pc); /* which ends with a zero */

/* Is there memory? To be asked before we look ourselves at what the kernel may refuse (EFAULT); it costs a
 * system call. */
HIDDEN bool io_can_read(const void *from, size_t size);

/* ... as pieces: `size` bytes in all, of those that the kernel has accepted. */
HIDDEN void io_reads_pieces(const struct iovec *piece, long count, uintptr_t pc);
HIDDEN void io_writes_pieces(const struct iovec *piece, long count, size_t size, uintptr_t pc);

/* result = call, which takes `size` bytes of the caller's memory to the descriptor. */
#define GOES_OUT(fd, call, from, size)                                                                       \
    IO_ON(                                                                                                   \
        fd,                                                                                                  \
        {                                                                                                    \
            io_reads(from, size, pc);                                                                        \
            fd_release(t, fd);                                                                               \
        },                                                                                                   \
        call, NOTHING)
