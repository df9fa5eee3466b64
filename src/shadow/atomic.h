/* Atomic accesses against the shadow.
 *
 * The real operation on an atomic variable and what happens to the variable's clock must be one step, so that
 * who reads a value acquires exactly what was released with it (runtime/atomic_sync.c). The lock of the
 * record of the variable's first word makes them one. The race check happens inside that step too: after what
 * was acquired has been joined, before what is released is published.
 *
 * Locks of further words are taken one at a time under the first one's, towards higher addresses: no cycle.
 * Chunks are entered before that (atomic_enter): nobody waits for a chunk (shadow/owner.h) while holding a
 * record.
 *
 * Two kinds of operation need no lock when the thread's access of this epoch is noted in every byte already,
 * and so is any conflict with it (atomic_noted): those that neither look at the clock nor change it (relaxed
 * loads and read-modify-writes); and loads that learn nothing new (struct glance): they read version, value
 * and clock, and the version again. Who changes a clock makes the version odd before the real operation and
 * even after the change. (x86-64 does not reorder loads with loads or stores with stores; the compiler is
 * kept from it by the orders.)
 */
#pragma once

#include "shadow/access.h"

/* --- with the lock --- */

/* The record of the variable's first word, locked; unlock with record_unlock() and owner_end(own). */
HIDDEN struct record *atomic_lock(uintptr_t address, size_t size, struct actor *t, bool *own);

HIDDEN void shadow_atomic_read(struct record *first, uintptr_t address, size_t size, struct actor *t,
                               struct race_found *found);
HIDDEN void shadow_atomic_write(struct record *first, uintptr_t address, size_t size, struct actor *t,
                                struct race_found *found);

hot_inline void record_change_begin(struct record *record)
{
    store_relaxed(&record->version, record->version + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

hot_inline void record_change_end(struct record *record)
{
    store_release(&record->version, record->version + 1);
}

/* --- without --- */

/* Is the thread's epoch in this part? May say no when it is. A crowd that is given back meanwhile may turn up
 * with entries of another variable: hence the second look. */
hot_inline bool part_has(const uint32_t *where, uint32_t part, const struct actor *t)
{
    if (is_crowd(part))
        return crowd_has(crowd_at(part), t->now) && load_relaxed(where) == part;
    return part == t->now || ((part & NARROW_TAG) && sets_known_with(part, t->now, &t->memo) == part);
}

hot_inline bool cells_noted(const struct cell *cell, unsigned bytes, enum access_kind kind,
                            const struct actor *t)
{
    uint32_t good = t->now; /* a part that has the thread's epoch: neighbours mostly agree */
    for (unsigned i = 0; i < bytes; i++) {
        uint32_t aw = load_relaxed(&cell[i].aw), ar = kind == ATOMIC_READ ? load_relaxed(&cell[i].ar) : 0;
        if (likely(aw == good || ar == good))
            continue;
        if (part_has(&cell[i].aw, aw, t))
            good = aw;
        else if (part_has(&cell[i].ar, ar, t))
            good = ar;
        else
            return false;
    }
    return true;
}

/* Of a word that is aligned to the access: its record if the access is noted in it, or NULL. That the word
 * may let go of the record meanwhile is harmless: parts hold this thread's epoch only if this thread has put
 * it there. */
hot_inline const struct record *word_noted(uintptr_t address, unsigned bytes, enum access_kind kind,
                                           const struct actor *t)
{
    const struct record *record = record_peek(shadow_of(address));
    return likely(record != NULL && cells_noted(&record->cell[address & 3], bytes, kind, t)) ? record : NULL;
}

/* Is the thread's access noted in all bytes? Only for 1, 2, 4 or 8. Returns the record of the first. */
hot_inline const struct record *atomic_noted(uintptr_t address, size_t size, enum access_kind kind,
                                             const struct actor *t)
{
    if (unlikely((address & (size - 1)) != 0))
        return NULL;
    const struct record *first = word_noted(address, (unsigned)min_size(size, 4), kind, t);
    if (size <= 4 || unlikely(first == NULL) || likely(load_relaxed(&first->special) & LEADS))
        return first;
    return word_noted(address + 4, 4, kind, t) != NULL ? first : NULL;
}

struct glance {
    const struct record *record;
    uint32_t version;
};

/* False: the clock is changing, or the record is another's. */
hot_inline bool glance_begin(struct glance *g, const struct record *record, uintptr_t address)
{
    g->record = record;
    g->version = load_acquire(&record->version);
    return likely((g->version & 1) == 0 && load_relaxed(&record->word) == shadow_of(address));
}

/* True: what was read since glance_begin belongs together. */
hot_inline bool glance_holds(const struct glance *g)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return likely(load_relaxed(&g->record->version) == g->version);
}
