/* What the verdict of a run rests on: what was not seen, as far as the process itself knows. Told when it
 * ends, to `photofinish run`, or to whoever asks for it (verbosity=1). */
#pragma once

#include "report/wire.h"
#include "runtime/thread.h"

/* Functions that synchronize, or share memory, in ways that are not modelled: seen only to say so. */
#define UNMODELLED(X) X(shmat)

/* The same, but for the functions that they have called in the end (intercept/request.c). */
#define UNMODELLED_REQUESTS(X)                                                                               \
    X(aio_read)                                                                                              \
    X(aio_read64)                                                                                            \
    X(aio_write)                                                                                             \
    X(aio_write64)                                                                                           \
    X(lio_listio)                                                                                            \
    X(lio_listio64)

/* The same by number, where programs call syscall() for want of a function. */
#define UNMODELLED_SYSTEM_CALLS(X)                                                                           \
    X(io_uring_enter)                                                                                        \
    X(io_submit)

/* What was done between asking for such a call and the call itself was not all kept (pending.h). */
#define UNMODELLED_PENDING(X) X(SIGEV_THREAD)

enum unmodelled {
#define X(name) UNMODELLED_##name,
    UNMODELLED(X) UNMODELLED_REQUESTS(X) UNMODELLED_SYSTEM_CALLS(X) UNMODELLED_PENDING(X)
#undef X
        UNMODELLED_COUNT
};

extern HIDDEN bool unmodelled_called[UNMODELLED_COUNT]; /* set by any thread, never cleared */

/* The program has called it, if it is the program's code that calls from `pc`. */
HIDDEN void unmodelled_note(enum unmodelled which, uintptr_t pc);

/* The message, its length in *length. The caller holds the report's lock. */
HIDDEN struct wire_header *completeness_pack(size_t *length);
