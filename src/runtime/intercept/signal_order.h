/* Order through signals: who sends one comes before whoever gets it, in a handler or by waiting for it. */
#pragma once

#include "runtime/intercept/caller.h"

/* The thread's handler for the signal is about to be called. */
HIDDEN void signal_order_arrived(struct thread *t, int number);
/* The signal may come from now on: it is about to be sent, or to get a handler. */
HIDDEN void signal_order_sent(struct thread *t, int number);
