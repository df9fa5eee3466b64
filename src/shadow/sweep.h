/* Sweeping: what can race with nothing any more is erased from the shadow, and what nobody names is given back.
 *
 * The world is stopped (runtime/world.h): nobody is in a word, a record or a set, and nobody remembers one. Threads
 * that run in the program all the same may do the same-epoch test, which only compares a word with the thread's
 * present epoch. An epoch that is known to every running thread is no present epoch of another one, and its own
 * thread only loses a short cut; what is not known to all stays as it is.
 *
 *   words      known epochs become none; the same in the cells of those that are PAGED, which become plain if they can.
 *              Groups of cells that no word names any more are given out again
 *   records    the same in their cells; folded if they can be; given back if their word has let go of them
 *   sets       without their known epochs, they may become smaller sets, single epochs or none; sets that nobody
 *              names are given back
 *   vectors    become sets; those that no word, cell or record names any more are given back
 *
 * shadow_clear() may empty words meanwhile (a mapping of a thread that we do not know): words are changed by
 * compare-and-swap.
 */
#pragma once

#include "shadow/record.h"

struct sweep {
    const uint32_t *known; /* by slot: the last epoch that every running thread knows */
    /* by slot, filled in: the lowest epoch that the shadow still mentions; none: UINT32_MAX */
    uint32_t *lowest;
    uint32_t (*map)(uint32_t half);  /* or NULL: what an epoch that stays is called from now on */
    void (*lost)(struct sync *list); /* sync objects of a record that is given back */
};

HIDDEN void sweep_shadow(const struct sweep *s);

/* All readers are in words, cells and sets: no vectors (shadow/readers.h). sweep_shadow begins with it; so does whoever gives slots other numbers. */
HIDDEN void sweep_settle(void);

/* Calls visit(list) for the sync objects of each record. The visitor may take some out of the list. */
HIDDEN void sweep_each_sync(void (*visit)(struct sync **list, void *to), void *to);
