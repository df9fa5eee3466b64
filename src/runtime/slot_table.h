/* The slots themselves: for the files that give them (slots.c), sweep (slot_sweep.c), merge (slot_merge.c) and make
 * more of them (slot_widen.c). All under the registry's lock; the last three while the world is stopped. */
#pragma once

#include "runtime/slots.h"

enum slot_state { SLOT_FREE, SLOT_OWNED, SLOT_RETIRED };

struct slot {
    struct thread *owner; /* the latest; none of an earlier one can race any more */
    uint64_t since;       /* the owner's slots in the order in which it got them */
    uint32_t first, last; /* epochs of the owner; `last` of retired ones only */
    enum slot_state state;
};

struct slot_table {
    struct slot slot[MOST_SLOTS];
    uint32_t free, retired; /* how many are */
    uint32_t free_from;     /* below it, none is free */
};

extern HIDDEN struct slot_table slot_table;

hot_inline uint32_t slot_count(void)
{
    return 1u << (HALF_BITS - half_bits);
}

/* A retired slot becomes free. Entries of clocks are the caller's business. */
HIDDEN void slot_free_retired(uint32_t slot);

/* --- all clocks there are --- */

struct each_clock {
    void (*vector)(uint32_t *clock, uint32_t length);
    void (*mailbox)(struct mailbox *m); /* not of threads: those have whole vectors */
    void (*sync)(struct sync **list);   /* or NULL: after the mailboxes of each list */
};

HIDDEN void slot_each_clock(const struct each_clock *each);

/* --- calls that are still to come (runtime/pending.h) --- */

/* Will all of them know this epoch? */
HIDDEN bool slot_pending_know(uint32_t slot, uint32_t last);
/* No more than all of them will know. */
HIDDEN void slot_pending_lower(uint32_t *known);
/* From now on they count as if they knew this, and the end of the run says so. False: there are none. */
HIDDEN bool slot_pending_learn(const uint32_t *known);
HIDDEN void slot_pending_each(void (*vector)(uint32_t *clock, uint32_t length));
/* Their clocks get room for all slots that there are now. */
HIDDEN void slot_pending_make_whole(void);

/* --- getting free ones --- */

/* By slot, of the sweep that is going on (shadow/sweep.h). */
extern HIDDEN uint32_t *slot_known, *slot_lowest;

/* One thread's retired slots become one, where they fit. Returns whether some did. */
HIDDEN bool slot_merge(void);
HIDDEN void slot_widen(void);
