/* Clocks of barriers that are not at an address (intercept/barrier.c). */
#pragma once

#include "runtime/thread.h"

/* While the world is stopped: calls visit for the clock of each round. */
HIDDEN void barrier_each_mailbox(void (*visit)(struct mailbox *m));
