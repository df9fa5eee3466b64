/* Slots: positions in vector clocks, and who counts in them.
 *
 *   free      nothing mentions an epoch of it: no word, no clock
 *   owned     by a running thread, which counts in it
 *   retired   its thread has ended, or has moved on because the clock was full; `last` is the last epoch of it
 *
 * A retired slot whose last epoch every running thread knows (and every thread that is still to come and that nobody
 * will see created: runtime/pending.h) goes on where it stopped, for the next thread that needs one: what the
 * old owner did is ordered before all that anybody can still do. (A stale, lower entry of another thread's clock only
 * delays that.) When there is neither such a slot nor a free one, the shadow is swept: epochs that all running threads
 * know are erased, and retired slots that nothing mentions any more become free (slot_sweep.c). Where that leaves too
 * few free, a thread that has used up one clock after the other has its old ones merged (slot_merge.c). Where there are
 * really so many threads whose accesses are unordered, the border between slot and clock moves (slot_widen.c).
 *
 * A running thread keeps its slot and its epoch, whatever is swept: it may be about to compare its epoch with a word.
 * All of this is under the registry's lock.
 */
#pragma once

#include "runtime/thread.h"

enum { NO_SLOT = UINT32_MAX };

/* Gives the thread a slot, if there is one. It is at a safe place: nothing in its hands was read from the shadow. */
HIDDEN bool slots_enter_locked(struct thread *t);
HIDDEN void slots_retire_locked(struct thread *t);

/* Whatever was done in slots that are retired now is before all that the thread will do. */
HIDDEN void slots_know_retired_locked(struct thread *t);

/* Does the thread know all that was done in them? */
HIDDEN bool slots_retired_known_locked(const struct thread *t);

/* Sweeps, and makes sure that there are free slots; or ends the program with one line. The world is stopped. */
HIDDEN void slots_sweep_stopped(void);

/* There is so much in the shadow that a sweep would pay: twice what the last one left. */
HIDDEN bool slots_garbage_due(void);

/* How often the shadow was swept, and slots were merged or became more: for tests (tests/stress). */
__attribute__((visibility("default"))) void pf_slots_counts(uint32_t *swept, uint32_t *merged,
                                                            uint32_t *widened);
