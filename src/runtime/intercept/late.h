/* A runtime that came after the C library: nobody calls its interceptors (real.c), and it reports nothing. */
#pragma once

#include "shadow/map.h"

/* Has the loaded objects call those that end the program where no exit handler runs, so that such an end is not taken for
 * a clean one. Again when more objects are loaded. Called by a constructor: the dynamic linker's lock is this thread's. */
HIDDEN void late_take_ends(void);
