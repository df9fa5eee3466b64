/* Signals that end the program when it has no handler for them. */
#pragma once

#include "shadow/map.h"

/* At the start: our handler, for those that have none. */
HIDDEN void signal_init(void);
