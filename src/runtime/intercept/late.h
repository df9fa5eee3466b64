/* A runtime that came after the C library: the program does not call its interceptors (real.c), and it reports nothing. */
#pragma once

#include "shadow/map.h"

/* Makes the loaded objects call our functions for ends without exit handlers (_exit, exec): these must not look clean. Called
 * by the constructor of each instrumented object: this thread has the dynamic linker's lock. */
HIDDEN void late_take_ends(void);
