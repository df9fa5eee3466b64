/* Which locks a thread holds, as a number: part of a site (host/sites.h), so that reports can say it of the
 * earlier access, too. Under the host's lock. */
#pragma once

#include "runtime/host/events.h"
#include "runtime/intercept/held.h"

/* Equal lists of locks have equal numbers; 0: none. */
HIDDEN uint32_t held_number(struct thread *t);

/* The thread has taken the lock, or does not hold it any more: for detectors that look at locks. Called when
 * the list of what it holds changes, but for changes between tells_held = true and false: whoever makes those
 * tells of them. */
HIDDEN void held_event(struct thread *t, const volatile void *lock, enum held_mode mode, bool taken);
/* Does anybody want to hear of that? */
HIDDEN bool held_event_wanted(const struct thread *t, const volatile void *lock, enum held_mode mode,
                              bool taken);
