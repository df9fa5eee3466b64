/* Calls that are still to come: the C library will call a function of the program's in a thread of its own, which nobody
 * sees created (intercept/notice.c). That thread will know what was known when the call was asked for, and maybe no
 * more. Until then it counts as a running thread that knows just that: what it may not know is not erased from the shadow,
 * and no slot goes on with another owner (slots.h).
 *
 * The generic host, whose detectors have clocks of their own, only has them keep what all threads know from the first such call on.
 *
 * All of this is under the registry's lock.
 */
#pragma once

#include "runtime/thread.h"

struct pending {
    uint32_t calls;       /* that are still to come; 0: it is in no list */
    struct mailbox known; /* what each of them will know; its clock is whole (sync_make_whole) */
    struct pending *next, *previous;
};

/* Thread t asks for one more call. It releases what the call is to know afterwards; `knows`: the call will acquire that. */
HIDDEN void pending_ask(struct thread *t, struct pending *p, bool knows);
/* One of them has come, by a thread that runs now, or will not come. */
HIDDEN void pending_one_less(struct pending *p);
/* None will come. */
HIDDEN void pending_none(struct pending *p);
/* In the child of a fork, where none of them comes. */
HIDDEN void pending_forked_locked(void);
