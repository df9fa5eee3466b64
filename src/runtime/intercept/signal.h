/* Signals: the program's handlers, and those that end it (intercept/signal.c). */
#pragma once

#include "shadow/map.h"

/* At the start: our handler in front of all, and for those that kill. */
HIDDEN void signal_init(void);
/* Where arena_lazy (base/arena.h), before anything is touched that is only reserved. */
HIDDEN void signal_init_needed(void);

/* The program has set a stack for handlers: those that want to run on it, may. */
HIDDEN void signal_use_alternate(void);
