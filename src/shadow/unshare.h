/* The way back for shared chunks (shadow/owner.h): those that threads change in long runs are leased again.
 *
 * A chunk becomes shared when two threads want it in the same epochs. Where a partition moves, that was at
 * its border, and is soon over; but each of its words costs a compare-and-swap ever after. So who changes
 * many words of a shared chunk, one after the other, notes that. When those compare-and-swaps have cost as
 * much as stopping the world (runtime/world.h) does, and not too much was spent on such things lately, the
 * world is stopped, and all chunks that were noted become leases that nobody holds.
 *
 *   a quick way                                who has stopped the world
 *   busy := chunk                              owner[chunk]: SHARED -> LEASE
 *   owner[chunk] = SHARED?                     membarrier: every running thread executes a full fence
 *   may it go on (quick_shared)?               waits until nobody is busy
 *   by compare-and-swap; busy := none          the world goes on
 *
 * All others have nothing of the shadow in their hands when they see that the world goes on. A quick way that
 * was announced meanwhile has perhaps seen SHARED; it is waited for before it may go on, so it does not.
 *
 * Not leased are chunks with something in them that only shared ones have:
 *
 *   vectors of readers (shadow/readers.h)
 *   bytes that wait in a thread (runtime/gather.h): to be in a lease that is over they would have to be
 * checked
 *
 * A chunk that is wanted by two threads again is shared again. Each time, it takes twice as many long runs
 * until it is noted; until one thread has had it for so long that it is its own.
 *
 * proof/lease.pml has this, too.
 */
#pragma once

#include "shadow/owner.h"

enum { UNSHARE_RUN = 64 };

hot_inline bool unshare_is_run(size_t words)
{
    return unlikely(words >= UNSHARE_RUN) || (unlikely(owner_shortest_stay == 0) && words > 0);
}

/* So many words of the shared chunk were changed in one run. True: the world had better be stopped soon. */
HIDDEN bool unshare_note(uint32_t chunk, size_t words);

/* Is it still so? */
HIDDEN bool unshare_due(void);

/* While the world is stopped. True: whoever has seen that a chunk was shared must be waited for once more. */
HIDDEN bool unshare_stopped(void);
HIDDEN void unshare_done(uint64_t began); /* in cycles: what it has cost */

/* Has a thread bytes of the chunk waiting? Set by the runtime. NULL: nothing ever waits. */
extern HIDDEN bool (*unshare_bytes_wait)(uint32_t chunk);

/* The chunk has become a thread's own: it pays to lease it. */
HIDDEN void unshare_paid(uint32_t chunk);

/* Has the chunk been leased in this way? */
HIDDEN bool unshare_was(uint32_t chunk);

/* How many chunks were. */
HIDDEN uint32_t unshare_count(void);

HIDDEN void unshare_init(void);
