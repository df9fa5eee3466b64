#pragma once

#include "runtime/thread.h"

/* Idempotent; before the first access of the program. */
HIDDEN void runtime_start(void);
