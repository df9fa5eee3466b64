/* Functions that the C library calls in threads of its own, which nobody sees created, when a timer runs out or a
 * message has come: they are after whoever set the timer, or sent the message. */
#pragma once

#include <signal.h>

#include "runtime/intercept/pegs.h"

/* What to give to the real function in place of `event`, which may be NULL: the same, or `*room`, filled in so that
 * the program's function is called after an acquire of the peg. */
HIDDEN struct sigevent *notice_wrapped(struct thread *t, struct sigevent *event, uint32_t peg,
                                       struct sigevent *room);
