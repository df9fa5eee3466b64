/* Functions that the C library calls in threads of its own, which nobody sees created, when a timer runs out, a
 * message has come or a request is done: they are after whoever set the timer, sent the message, made the request. */
#pragma once

#include <signal.h>

#include "runtime/intercept/pegs.h"

/* What to give to the real function in place of `event`, which may be NULL: the same, or `*room`, filled in so that
 * the program's function is called after an acquire of the peg, into which the caller releases next ... */
HIDDEN struct sigevent *notice_after_peg(struct thread *t, struct sigevent *event, uint32_t peg,
                                         struct sigevent *room);
/* ... or after this. `list` tells requests with the same function and argument apart. */
HIDDEN struct sigevent *notice_after_list(struct thread *t, struct sigevent *event, const void *list,
                                          struct sigevent *room);

/* The same for an event that the C library does not copy: within an aiocb. The program finds its own function and value
 * there again when that is called. */
HIDDEN void notice_after(struct thread *t, struct sigevent *event);
/* What one of these has given will not be called. The program finds its own there at once. */
HIDDEN void notice_cancel(struct thread *t, struct sigevent *event);
/* Nothing that waits for this peg will be called. */
HIDDEN void notice_cancel_peg(struct thread *t, uint32_t peg);
