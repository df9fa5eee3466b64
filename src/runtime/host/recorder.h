/* The recorder: a "detector" of the generic host that detects nothing and keeps everything, for
 * `photofinish record`. Accesses go to it as they are, not as variables: which bytes were always accessed
 * together is known only at the end (cli/transcribe.c). Everything under the host's lock (host/events.h):
 * that is the order of the trace.
 *
 * Where it writes: trace/tape.h. What does not fit the tape any more (photofinish record has no room, or is
 * gone) is not kept, and the program goes on. */
#pragma once

#include "detect/detector.h"
#include "runtime/access.h"

extern HIDDEN bool recorder_on;
extern HIDDEN bool recorder_repeats; /* also accesses that no precise detector needs (host/access.c) */

/* The detector of this name, "record" or "record_all", or NULL. */
HIDDEN const struct detector *recorder_named(const char *name);

/* known_only: not of bytes that nobody has accessed before. */
HIDDEN void recorder_access(struct thread *t, const struct race_access_live *a, bool known_only);
HIDDEN void recorder_compare(struct thread *t, const struct race_access_live *a);
HIDDEN void recorder_clear(uintptr_t address, size_t size);
HIDDEN void recorder_move(uintptr_t from, uintptr_t to, size_t size);

/* In the child of a fork, before the threads that are not there any more are joined: they are not on its
 * tape. Then, perhaps more than once: its tape begins. What it has done so far is ordered before all that it
 * will do. */
HIDDEN void recorder_forking(void);
HIDDEN void recorder_forked(void);
