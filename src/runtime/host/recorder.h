/* The recorder: a "detector" of the generic host that detects nothing and keeps everything, for
 * `photofinish record`. Accesses go to it as they are, not as variables: which bytes were always accessed
 * together is known only at the end (trace/transcribe.h).
 *
 * Accesses that order nothing go to the stream of their thread (host/stream.h). The rest is under the host's lock
 * (host/events.h): that is the order of the spine. Where it is written: trace/tape.h. What does not fit the
 * tape any more (photofinish record has no room, or is gone) is not kept, and the program goes on. */
#pragma once

#include "detect/detector.h"
#include "runtime/access.h"

extern HIDDEN bool recorder_chosen;   /* it is the detector */
extern HIDDEN bool recorder_on;       /* and there is a tape */
extern HIDDEN bool recorder_repeats;  /* also accesses that no precise detector needs (host/stream.h) */
extern HIDDEN uint32_t recorder_tape; /* counts tapes: the child of a fork has its own */

/* The detector of this name, "record" or "record_all", or NULL. */
HIDDEN const struct detector *recorder_named(const char *name);

/* The number of a place, which is on the tape then: without the lock, and with it. `how`: TAPE_SITE's. */
HIDDEN uint32_t recorder_site(uintptr_t pc, uint32_t node, unsigned how);
HIDDEN uint32_t recorder_site_locked(uintptr_t pc, uint32_t node, unsigned how);

/* Where an access is made: return address, and call stack. A free is made by the function that frees. */
struct recorder_place {
    uintptr_t pc;
    uint32_t node;
};
HIDDEN struct recorder_place recorder_place(struct thread *t, const struct race_access_live *a);

/* An access with a place among synchronization; known_only: not of bytes that nobody has accessed before. */
HIDDEN void recorder_access(struct thread *t, const struct race_access_live *a, bool known_only);
HIDDEN void recorder_compare(struct thread *t, uintptr_t address, uintptr_t pc);
HIDDEN void recorder_clear(uintptr_t address, size_t size);
HIDDEN void recorder_move(uintptr_t from, uintptr_t to, size_t size);

/* A lock is taken for writing by a thread that has a stream, whose use of its memory is an access, and no
 * byte is benign; given up by one that holds it so, and has a stream. As a record each. */
struct host_sync;
HIDDEN void recorder_take(struct thread *t, struct host_sync *lock, uintptr_t pc);
HIDDEN void recorder_give(struct thread *t, struct host_sync *lock);

/* What was recorded without the host's lock (host/lock_turns.h) comes before what follows: of the lock, and of
 * the stream's thread. If that is lost, so is this. */
HIDDEN void recorder_turns_of_lock(const struct host_sync *lock);
struct stream;
HIDDEN void recorder_turns_of(struct stream *stream);

/* The number of the latest record of the spine; without the lock, too. */
HIDDEN uint64_t recorder_latest(void);

/* In the child of a fork, before the threads that are not there any more are joined: they are not on its
 * tape. Then, perhaps more than once: its tape begins. What it has done so far is ordered before all that it
 * will do. */
HIDDEN void recorder_forking(void);
HIDDEN void recorder_forked(void);

/* Nothing more is kept. */
HIDDEN void recorder_stop(void);

struct tape_pen;
/* Room for a record in the stream, for those who write it under the lock. */
HIDDEN bool recorder_room(struct tape_pen *pen, size_t size, uint64_t first);
HIDDEN void recorder_sites_again(void);
