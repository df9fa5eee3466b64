/* The last access of every slot to one variable: a vector clock that also knows its events.
 *
 * Used for read and write vectors (vc, djit) and for the read sets of read-shared variables (FastTrack). Only
 * slots that accessed the variable have an entry, ascending: two readers among thousands of threads cost two
 * entries.
 */
#pragma once

#include "clock/vclock.h"
#include "detect/detector.h"

struct access_entry {
    uint64_t event;
    uint32_t slot, clock;
};

struct accesses {
    struct access_entry *entry;
    uint32_t length, capacity;
};

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

/* Makes room for one more entry at this place, of this slot. */
void accesses_insert(struct accesses *a, struct access_sets *sets, uint32_t at, uint32_t slot);

/* Where the slot's entry is, or would be. */
hot_inline uint32_t accesses_find(const struct accesses *a, uint32_t slot)
{
    uint32_t from = 0, to = a->length;
    while (to - from > 4) {
        uint32_t middle = from + (to - from) / 2;
        if (a->entry[middle].slot <= slot)
            from = middle;
        else
            to = middle;
    }
    while (from < to && a->entry[from].slot < slot)
        from++;
    return from;
}

/* Records an access at an epoch. */
static inline void accesses_set(struct accesses *a, struct access_sets *sets, epoch e, uint64_t n)
{
    uint32_t slot = epoch_slot(e), at = accesses_find(a, slot);
    if (unlikely(at == a->length || a->entry[at].slot != slot))
        accesses_insert(a, sets, at, slot);
    a->entry[at].clock = epoch_clock(e);
    a->entry[at].event = n;
}

static inline uint32_t accesses_clock(const struct accesses *a, uint32_t slot)
{
    uint32_t at = accesses_find(a, slot);
    return at < a->length && a->entry[at].slot == slot ? a->entry[at].clock : 0;
}

/* An access that the clock does not know, or NULL when A ⊑ C. */
static inline const struct access_entry *accesses_first_unordered(const struct accesses *a,
                                                                  const uint32_t *clock)
{
    for (uint32_t i = 0; i < a->length; i++)
        if (a->entry[i].clock > clock[a->entry[i].slot])
            return &a->entry[i];
    return NULL;
}

/* Reports a race with the first access that the clock does not know; false when it knows them all. */
static inline bool accesses_race(const struct accesses *a, const uint32_t *clock, struct host *host,
                                 enum race_kind kind, uint32_t variable, uint64_t n)
{
    const struct access_entry *racy = accesses_first_unordered(a, clock);
    if (likely(racy == NULL))
        return false;
    host_race(host, kind, variable, racy->event, n);
    return true;
}

static inline void accesses_clear(struct accesses *a)
{
    a->length = 0;
}

/* `to` is empty. */
void accesses_copy(struct accesses *to, const struct accesses *from, struct access_sets *sets);

void accesses_free(struct accesses *a, struct access_sets *sets);

/* --- the pool --- */

uint32_t access_sets_new(struct access_sets *sets);              /* index of an empty set */
void access_sets_drop(struct access_sets *sets, uint32_t index); /* the index may be given out again */
void access_sets_free(struct access_sets *sets);
