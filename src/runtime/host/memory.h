/* Which variables of the detector an address is, and which sync object lives there.
 *
 * Pieces. A detector's variable stands for a *piece*: bytes of one aligned group of 8 that have been accessed
 * only together, so that one state is right for each of them. An access that covers a part of a piece splits
 * it: the new piece begins with a copy of the state. Pieces are made where memory is accessed, and forgotten
 * with it.
 *
 * Atomic accesses race with plain ones and not with each other; detectors know reads and writes. So a piece
 * has up to three variables, whose accesses of one kind are reads:
 *
 *   access         plain            stored                   loaded
 *   plain read     read             as if written            -
 *   plain write    write            write, then dropped      write, then dropped
 *   atomic write   as if written    read                     -
 *   atomic read    -                -                        read
 *
 * "As if written": a write to a copy, which finds the races and is forgotten. A plain write is ordered with
 * whatever follows by `plain` alone: an atomic write looks there, and `loaded` begins as a copy of it. (What
 * else that copy has, earlier reads, can only race with a plain write, and does in `plain` too.)
 */
#pragma once

#include "base/spin.h"
#include "runtime/host/events.h"

struct piece {
    uint32_t next; /* of its group, ascending; also the link of a free piece (base/arena.h) */
    uint32_t plain, stored, loaded; /* variables + 1; 0: none */
    uint8_t from, to;               /* bytes of the group */
};

/* Of a lock that was recorded (host/lock_turns.h). */
struct lock_turns {
    struct spin lock;
    bool alone;     /* all that it releases is what was posted, under `posted`, by who gave it up last */
    bool moved;     /* without the host knowing of it */
    uint32_t giver; /* thread + 1 */
    uint32_t taker; /* who has it now, as far as we know: thread + 1; 0: nobody */
    uint64_t given; /* times, on the tape */
    uint64_t when;  /* number of the giver's post */
    uint64_t since; /* record of the spine that comes before what its holder does alone */
};

struct host_sync {
    uint32_t next;         /* of its group; the link of a free one */
    uint32_t lock;         /* id + 1; 0: none */
    uint32_t tape, posted; /* the tape that knows it, and the id of what was last posted there with it */
    uintptr_t address;     /* 0: it is not in use */
    struct lock_turns turns;
    struct mailbox released, readers, stored; /* posts, as in runtime/sync.h */
    void *own;
};

/* Calls with each piece of the access, split as needed, and the address where it begins. `make`: bytes
 * without a piece get one; otherwise they are left out. */
typedef void memory_visit(void *context, struct piece *piece, uintptr_t address);
HIDDEN void memory_each(uintptr_t address, size_t size, bool make, memory_visit *visit, void *context);

/* The piece that has the byte, or NULL. */
HIDDEN const struct piece *memory_find(uintptr_t address);

/* The sync object at the address; NULL: there is none, and none is to be made. Its holder no longer has it
 * alone. Who wants it made may add to it: that is news (host/news.h). */
HIDDEN struct host_sync *memory_sync(uintptr_t address, bool make);

/* Without the host's lock: the same, or one that was at the address, or is none any more, or NULL. */
HIDDEN struct host_sync *memory_sync_seen(uintptr_t address);

/* How often memory has been forgotten. */
extern HIDDEN uint64_t memory_clears;
