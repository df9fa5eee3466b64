/* What owner.c and frozen.c share about chunks. */
#pragma once

#include "shadow/owner.h"

/* Every running thread executes a full fence. */
HIDDEN void owner_fence_all(void);

/* After that: waits while the thread is in one of these chunks, and settles what it has waiting there. */
HIDDEN void owner_wait(uint32_t mine, uint32_t chunk, uint32_t count);
