/* What owner.c, frozen.c and readers.c share about chunks. */
#pragma once

#include "shadow/owner.h"

/* After a fence of all: waits while whoever's entry this was is in one of these chunks, and settles what waits
 * there. */
HIDDEN void owner_wait(uint32_t entry, uint32_t chunk, uint32_t count);

/* May somebody rely on a fence of all threads, and owner_wait_all, some time later? There is a limit to that, too. */
HIDDEN bool owner_may_fence(void);

/* May threads spend time on fences of all and the like now? Since `began`, in cycles, one did. */
HIDDEN bool owner_can_afford(void);
HIDDEN void owner_spend(uint64_t began);
