#define __NO_INLINE__ 1 /* stdio.h is not to define some of these itself */

#include "runtime/intercept/stream.h"

#include "runtime/intercept/io.h"

/* A stream without a descriptor has a negative one. */
static int descriptor(const FILE *file)
{
    return file != NULL ? file->_fileno : -1;
}

/* A stream that keeps nothing, or lines only, has no room in glibc, nor has one that has not been used.
 * Others may use the stream meanwhile: what we read is then a guess, and theirs is, too. */
static size_t room(const FILE *file)
{
    ptrdiff_t left = file->_IO_write_end - file->_IO_write_ptr;
    return left > 0 ? (size_t)left : 0;
}

void stream_writing_fd(int fd)
{
    struct thread *t = fd >= 0 && fd_may_be_ours(fd) ? caller() : NULL;
    if (t != NULL)
        fd_release(t, fd);
}

void stream_writing(FILE *file, size_t size)
{
    if (unlikely(room(file) < size))
        stream_writing_fd(descriptor(file));
}

void stream_flushing(FILE *file)
{
    stream_writing_fd(descriptor(file));
}

void stream_read(FILE *file)
{
    struct thread *t = descriptor(file) >= 0 ? caller() : NULL;
    if (t != NULL)
        fd_acquire(t, descriptor(file));
}

void stream_opened(FILE *file)
{
    struct thread *t = descriptor(file) >= 0 ? caller() : NULL;
    if (t != NULL)
        fd_is_new(descriptor(file));
}

void stream_closing(FILE *file)
{
    struct thread *t = descriptor(file) >= 0 ? caller() : NULL;
    if (t != NULL)
        fd_closing(t, descriptor(file));
}

void stream_begins(FILE *file, uintptr_t pc)
{
    struct thread *t = descriptor(file) >= 0 ? caller() : NULL;
    stream_opened(file);
    if (t != NULL)
        fd_opened(t, descriptor(file), pc);
}

void stream_ends(FILE *file, uintptr_t pc)
{
    struct thread *t = descriptor(file) >= 0 ? caller() : NULL;
    if (t != NULL)
        fd_close(t, descriptor(file), pc);
    stream_closing(file);
}

/* --- single characters ---
 *
 * The macros of stdio.h call __uflow and __overflow when the buffer is empty or full. */

static bool is_empty(const FILE *file)
{
    return file->_IO_read_ptr >= file->_IO_read_end;
}

#define READS_ONE(file, call)                                                                                \
    do {                                                                                                     \
        bool fills = is_empty(file);                                                                         \
        int result = call;                                                                                   \
        if (unlikely(fills))                                                                                 \
            stream_read(file);                                                                               \
        return result;                                                                                       \
    } while (0)

int __uflow(FILE *file);
int __underflow(FILE *file);
int __overflow(FILE *file, int c);
int _IO_getc(FILE *file);
int _IO_putc(int c, FILE *file);

INTERCEPT int fgetc(FILE *file)
{
    READS_ONE(file, REAL(fgetc)(file));
}

INTERCEPT int fgetc_unlocked(FILE *file)
{
    READS_ONE(file, REAL(fgetc_unlocked)(file));
}

INTERCEPT int(getc)(FILE *file)
{
    READS_ONE(file, REAL(getc)(file));
}

INTERCEPT int _IO_getc(FILE *file)
{
    READS_ONE(file, REAL(_IO_getc)(file));
}

INTERCEPT int(getc_unlocked)(FILE *file)
{
    READS_ONE(file, REAL(getc_unlocked)(file));
}

INTERCEPT int(getchar)(void)
{
    READS_ONE(stdin, REAL(getchar)());
}

INTERCEPT int(getchar_unlocked)(void)
{
    READS_ONE(stdin, REAL(getchar_unlocked)());
}

INTERCEPT int __uflow(FILE *file)
{
    READS_ONE(file, REAL(__uflow)(file));
}

INTERCEPT int __underflow(FILE *file)
{
    READS_ONE(file, REAL(__underflow)(file));
}

#define WRITES_ONE(file, call)                                                                               \
    do {                                                                                                     \
        stream_writing(file, 1);                                                                             \
        return call;                                                                                         \
    } while (0)

INTERCEPT int fputc(int c, FILE *file)
{
    WRITES_ONE(file, REAL(fputc)(c, file));
}

INTERCEPT int fputc_unlocked(int c, FILE *file)
{
    WRITES_ONE(file, REAL(fputc_unlocked)(c, file));
}

INTERCEPT int(putc)(int c, FILE *file)
{
    WRITES_ONE(file, REAL(putc)(c, file));
}

INTERCEPT int _IO_putc(int c, FILE *file)
{
    WRITES_ONE(file, REAL(_IO_putc)(c, file));
}

INTERCEPT int(putc_unlocked)(int c, FILE *file)
{
    WRITES_ONE(file, REAL(putc_unlocked)(c, file));
}

INTERCEPT int(putchar)(int c)
{
    WRITES_ONE(stdout, REAL(putchar)(c));
}

INTERCEPT int(putchar_unlocked)(int c)
{
    WRITES_ONE(stdout, REAL(putchar_unlocked)(c));
}

INTERCEPT int __overflow(FILE *file, int c)
{
    WRITES_ONE(file, REAL(__overflow)(file, c));
}
