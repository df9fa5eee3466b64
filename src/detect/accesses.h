/* The last access of every slot to one variable: a vector clock that also knows its events.
 *
 * Used for read and write vectors (vc, djit) and for the read sets of read-shared variables (FastTrack).
 * Entries past `length` are 0: never accessed. One allocation holds the events, then the clocks.
 */
#pragma once

#include "clock/vclock.h"
#include "detect/detector.h"

struct accesses {
    uint64_t *event; /* by slot */
    uint32_t *clock; /* by slot; in the same block as the events */
    uint32_t length, capacity;
};

#define ACCESSES_ORDERED UINT32_MAX

/* All access vectors of a detector: their memory, and a pool of those that are known by index, for a state
 * with room for an index only. */
struct access_sets {
    struct host *host;
    size_t bytes; /* inside all vectors, pooled or not */
    struct accesses *set;
    size_t count, capacity;
    uint32_t *free;
    size_t free_count, free_capacity;
};

/* An index and a tag fit half a shadow word. */
enum { ACCESS_SET_INDEX_BITS = 30 };

/* Makes entry `slot` exist. */
void accesses_reach(struct accesses *a, struct access_sets *sets, uint32_t slot);

/* Records an access at an epoch. */
static inline void accesses_set(struct accesses *a, struct access_sets *sets, epoch e, uint64_t n)
{
    uint32_t slot = epoch_slot(e);
    if (unlikely(slot >= a->length))
        accesses_reach(a, sets, slot);
    a->clock[slot] = epoch_clock(e);
    a->event[slot] = n;
}

static inline uint32_t accesses_clock(const struct accesses *a, uint32_t slot)
{
    return slot < a->length ? a->clock[slot] : 0;
}

/* A ⊑ C, or the first slot whose access C does not know. */
static inline uint32_t accesses_first_unordered(const struct accesses *a, const uint32_t *clock)
{
    size_t slot = vclock_first_above(a->clock, clock, a->length);
    return slot < a->length ? (uint32_t)slot : ACCESSES_ORDERED;
}

/* Reports a race with the first access that the clock does not know; false when it knows them all. */
static inline bool accesses_race(const struct accesses *a, const uint32_t *clock, struct host *host,
                                 enum race_kind kind, uint32_t variable, uint64_t n)
{
    uint32_t racy = accesses_first_unordered(a, clock);
    if (likely(racy == ACCESSES_ORDERED))
        return false;
    host_race(host, kind, variable, a->event[racy], n);
    return true;
}

static inline void accesses_clear(struct accesses *a)
{
    a->length = 0;
}

void accesses_free(struct accesses *a, struct access_sets *sets);

/* --- the pool --- */

uint32_t access_sets_new(struct access_sets *sets);               /* index of an empty set */
void access_sets_drop(struct access_sets *sets, uint32_t index);  /* the index may be given out again */
void access_sets_free(struct access_sets *sets);
