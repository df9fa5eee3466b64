/* Runtimes of other sanitizers in the same process, as LD_PRELOAD may bring them. They intercept the same functions as
 * ours, and have their shadow where ours is. */
#pragma once

#include "runtime/thread.h"

/* The library of one that is loaded (libasan.so.8); NULL: there is none. Our own library is not one, by whatever name
 * it was found. Usable before anything else is. */
HIDDEN const char *other_sanitizer(void);
