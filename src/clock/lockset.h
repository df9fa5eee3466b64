/* Sets of ids as values: Eraser's candidate locks, the locksets of eager Goldilocks.
 *
 * Sets are immutable and interned: within one table, equal sets have equal handles, so comparing two sets is
 * comparing two numbers and a thousand variables with the same set share one. Ids are whatever the owner of
 * the table numbers (locks, or threads and locks and volatiles together).
 *
 * Nobody counts references. The owner asks now and then whether the table is crowded, and if so marks the
 * sets that it still needs and sweeps the others:
 *
 *   if (locksets_crowded(table)) { for each set in use: lockset_mark(table, set); locksets_sweep(table); }
 *
 * Invariants:
 *   1. the ids of a set are strictly ascending; no two live sets of a table have the same ids
 *   2. handle 0 is the empty set, always live: zeroed memory is full of empty sets
 *   3. the memo of recent operations refers to live sets only (a sweep empties it)
 */
#pragma once

#include "base/mem.h"

typedef struct {
    uint32_t index;
} lockset;

#define LOCKSET_EMPTY ((lockset){0})

struct lockset_entry {
    uint32_t *id;
    uint32_t count, hash;
    uint32_t next; /* in its bucket, or in the list of free entries; 0 ends both */
    bool marked;
};

struct locksets {
    struct mem *mem;
    struct lockset_entry *entry; /* by handle */
    size_t entries, entry_capacity;
    uint32_t free;
    size_t live, crowded_at;
    uint32_t *bucket; /* bucket_mask + 1 of them, at most as many sets as buckets */
    size_t bucket_mask;
    uint32_t *scratch; /* the ids of a set under construction */
    size_t scratch_capacity;
    struct lockset_memo *memo;
};

void locksets_init(struct locksets *table, struct mem *mem);
void locksets_free(struct locksets *table);

lockset lockset_with(struct locksets *table, lockset set, uint32_t id);
lockset lockset_without(struct locksets *table, lockset set, uint32_t id);
lockset lockset_common(struct locksets *table, lockset a, lockset b); /* a ∩ b */
bool lockset_has(const struct locksets *table, lockset set, uint32_t id);

static inline bool lockset_same(lockset a, lockset b)
{
    return a.index == b.index;
}

static inline bool lockset_is_empty(lockset set)
{
    return set.index == 0;
}

static inline uint32_t lockset_count(const struct locksets *table, lockset set)
{
    return table->entry[set.index].count;
}

/* Twice as many sets as the last sweep left. */
static inline bool locksets_crowded(const struct locksets *table)
{
    return table->live >= table->crowded_at;
}

static inline void lockset_mark(struct locksets *table, lockset set)
{
    table->entry[set.index].marked = true;
}

/* Drops every set that was not marked since the last sweep. */
void locksets_sweep(struct locksets *table);

/* The invariants above, checked one by one: for tests. */
bool locksets_valid(const struct locksets *table);
