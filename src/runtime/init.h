#pragma once

#include "runtime/thread.h"

/* Idempotent; before the first access of the program. */
HIDDEN void runtime_start(void);

/* The generic host's (runtime/thread.h): a module that was compiled for us has been loaded. */
__attribute__((weak)) HIDDEN void host_loaded(void);
