/* Which locks a thread holds, as a number: part of a site (host/sites.h), so that reports can say it of the
 * earlier access, too. Under the host's lock. */
#pragma once

#include "runtime/host/events.h"

/* Equal lists of locks have equal numbers; 0: none. */
HIDDEN uint32_t held_number(struct thread *t);
