/* Streams: what is read from them and written to them, and their locks.
 *
 * A stream has a lock of its own that makes each call one step. That lock orders nothing here: which of two
 * calls came first is not something that a program can tell from it, and if it did, one printf() in each
 * thread would hide their races. flockfile() and funlockfile() are what they are called.
 */
#include <stdio.h>

#include "runtime/intercept/libc.h"
#include "runtime/intercept/lock.h"
#include "runtime/intercept/stream.h"

/* Order through what is behind the stream. */
#define OUT(file, size) stream_writing(file, size)
#define IN(file)        stream_read(file)
#define OPENED(file)    stream_opened(file)
#define CLOSES(file)    stream_closing(file)
#define BEGINS(file)    stream_begins(file, pc)
#define ENDS(file)      stream_ends(file, pc)
#define FLUSHES(file)   stream_flushing(file)
#include "runtime/intercept/libc_stdio.def"

/* --- the lock: recursive. What an inner unlock releases, others get at the outermost --- */

INTERCEPT void flockfile(FILE *file)
{
    struct thread *t = caller();
    if (t != NULL)
        object_shared(t, file, CALLER_PC);
    REAL(flockfile)(file);
    if (t != NULL)
        lock_taken(t, file, HELD_WRITING, CALLER_PC);
}

INTERCEPT int ftrylockfile(FILE *file)
{
    struct thread *t = caller();
    if (t != NULL)
        object_shared(t, file, CALLER_PC);
    int result = REAL(ftrylockfile)(file);
    if (t != NULL && result == 0)
        lock_taken(t, file, HELD_WRITING, CALLER_PC);
    return result;
}

INTERCEPT void funlockfile(FILE *file)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_giving_up(t, file, CALLER_PC);
    REAL(funlockfile)(file);
}
