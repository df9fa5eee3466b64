/* Clocks of barriers that are not at an address (intercept/barrier.c). */
#pragma once

#include "runtime/thread.h"

/* While the world is stopped: calls visit for the clock of each round. */
HIDDEN void barrier_each_mailbox(void (*visit)(struct mailbox *m));

/* ... and what is attached to the address of a barrier (runtime/sync.h), which the program has freed without
 * destroying it. */
__attribute__((weak)) HIDDEN void barrier_lost(void *attached);
