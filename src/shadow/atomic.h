/* Atomic accesses against the shadow.
 *
 * The real operation on an atomic variable and what happens to the variable's clock must be one step, so that
 * who reads a value acquires exactly what was released with it (runtime/atomic_sync.c). The lock of the
 * record of the variable's first word makes them one. The race check happens inside that step too: after what
 * was acquired has been joined, before what is released is published.
 *
 * Locks of further words are taken one at a time under the first one's, towards higher addresses: no cycle.
 *
 * Without the lock (struct glance): operations that do not change the clock, by a thread that is in the
 * variable's crowd or has its access of this epoch noted. These are loads, and, where nobody will ever ask
 * for what was seen, relaxed read-modify-writes.
 *
 *   glance                                        whoever holds the lock
 *   seq, even                                     seq := odd (a full fence)
 *   cells: ordered; its own entry of the crowd    looks at cells and entries, or changes them;
 *   [value, then its clock]                       changes the value, then its clock
 *   entry: old -> epoch, by compare-and-swap      seq := next even
 *   seq still the same?  done : take the lock
 *
 * What was read belongs together if seq is the same. An entry that was written and believed is seen by the
 * next one who takes the lock: the thread's second look at seq came after its compare-and-swap, a full fence,
 * and before seq became odd. One that is not believed is true all the same: it is of this thread, epoch and
 * variable (why of no other variable: shadow/crowd.h), and the access is made. (x86-64 does not reorder loads
 * with loads or stores with stores; the compiler is kept from it by the orders.)
 */
#pragma once

#include "shadow/access.h"

/* --- with the lock --- */

/* The record of the variable's first word, locked; unlock with record_unlock(). */
hot_inline struct record *atomic_lock(uintptr_t address)
{
    struct record *record = record_lock_quick(shadow_of(address));
    return likely(record != NULL) ? record : record_lock(shadow_of(address));
}

/* The cells are in one state, and their crowds, if any, are of these bytes. Of a pair, from = 0 and to = 1.
 */
hot_inline void alike_cells_locked(struct record *record, uintptr_t address, unsigned from, unsigned to,
                                   uint32_t bytes, enum access_kind kind, struct actor *t,
                                   struct race_found *found)
{
    struct cell *cell = record->cell, before = cell[from], after = before;
    t->crowd_changed = false;
    note_bytes(found, cell_access(&after, kind, t, bytes), address + from, bytes == 0xff ? 8 : to - from);
    if (before.aw != after.aw || before.ar != after.ar) {
        record->special +=
            (is_crowd(after.aw) && !is_crowd(before.aw)) + (is_crowd(after.ar) && !is_crowd(before.ar));
        for (unsigned i = from; i < to; i++) {
            store_relaxed(&cell[i].aw, after.aw);
            store_relaxed(&cell[i].ar, after.ar);
        }
        found->changed++;
    } else {
        found->changed += t->crowd_changed;
    }
}

/* Neither a pair, nor will it be one. */
HIDDEN void shadow_atomic_slow(struct record *first, uintptr_t address, size_t size, enum access_kind kind,
                               struct actor *t, struct race_found *found);

/* Makes a pair of the record, which does not lead, and the next one, if it can. */
HIDDEN bool atomic_pair(struct record *first);

hot_inline void shadow_atomic(struct record *first, uintptr_t address, size_t size, enum access_kind kind,
                              struct actor *t, struct race_found *found)
{
    *found = (struct race_found){0};
    if (size == 8 && (address & 7) == 0 && vector_possible(t->now) &&
        (likely(first->special & LEADS) || atomic_pair(first)))
        alike_cells_locked(first, address, 0, 1, 0xff, kind, t, found);
    else
        shadow_atomic_slow(first, address, size, kind, t, found);
}

/* --- without: variables of 1, 2, 4 or 8 bytes --- */

struct glance {
    struct record *record;
    uint32_t seq;
    uint32_t old;
    uint32_t *entry; /* the thread's own, which is `old` */
};

/* False: the record is locked, or no longer the word's, or there is none. */
hot_inline bool glance_begin(struct glance *g, uintptr_t address)
{
    const uint64_t *word = shadow_of(address);
    uint64_t seen = load_acquire(word);
    if (unlikely(!word_recorded(seen)))
        return false;
    g->record = record_at(seen);
    g->seq = load_acquire(&g->record->seq);
    return likely((g->seq & 1) == 0 && load_relaxed(word) == seen);
}

/* True: what was read since glance_begin belongs together. */
hot_inline bool glance_holds(const struct glance *g)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return likely(load_relaxed(&g->record->seq) == g->seq);
}

/* After GLANCE_MAY. False: the access is to be made with the lock. */
hot_inline bool glance_note(struct glance *g, uint32_t now)
{
    return likely(cas_acq_rel(g->entry, &g->old, now)) && glance_holds(g);
}

enum glance_answer {
    GLANCE_NO,    /* take the lock */
    GLANCE_NOTED, /* the access is noted in every byte */
    GLANCE_MAY    /* it can be, by glance_note() */
};

/* All that is looked at below holds if seq does; the cell stands for all bytes of the access. */

hot_inline enum glance_answer part_glance(struct glance *g, uint32_t part, const struct actor *t)
{
    if (unlikely(!is_crowd(part)))
        return part == t->now ? GLANCE_NOTED : GLANCE_NO;
    g->entry = crowd_entry(part, t->now);
    if (unlikely(g->entry == NULL))
        return GLANCE_NO;
    g->old = load_relaxed(g->entry);
    if (g->old == t->now)
        return GLANCE_NOTED;
    return likely(vector_entry_used(g->old)) ? GLANCE_MAY : GLANCE_NO;
}

hot_inline bool part_ordered(uint32_t part, const struct actor *t)
{
    return likely(part == 0) || (!(part & NARROW_TAG) && half_before(part, t->clock));
}

hot_inline enum glance_answer cell_glance(struct glance *g, const struct cell *cell, enum access_kind kind,
                                          const struct actor *t)
{
    enum glance_answer answer = part_glance(g, load_relaxed(&cell->aw), t);
    if (answer != GLANCE_NOTED && kind == ATOMIC_READ)
        answer = part_glance(g, load_relaxed(&cell->ar), t);
    if (answer == GLANCE_MAY && unlikely(!part_ordered(load_relaxed(&cell->w), t) ||
                                         (kind == ATOMIC_WRITE && !part_ordered(load_relaxed(&cell->r), t))))
        return GLANCE_NO;
    return answer;
}

hot_inline bool cells_noted(const struct cell *cell, unsigned size, enum access_kind kind,
                            const struct actor *t)
{
    for (unsigned i = 0; i < size; i++)
        if (load_relaxed(&cell[i].aw) != t->now &&
            (kind == ATOMIC_WRITE || load_relaxed(&cell[i].ar) != t->now))
            return false;
    return true;
}

/* After glance_begin, before glance_holds or glance_note. The variable is aligned. */
hot_inline enum glance_answer glance_look(struct glance *g, uintptr_t address, size_t size,
                                          enum access_kind kind, const struct actor *t)
{
    const struct record *record = g->record;
    uint32_t special = load_relaxed(&record->special);
    if (size == 8)
        return likely(special & LEADS) ? cell_glance(g, record->cell, kind, t) : GLANCE_NO;
    if (unlikely(special & (LEADS | FOLLOWS)))
        return GLANCE_NO;
    const struct cell *cell = &record->cell[address & 3];
    uint32_t bytes = ((1u << size) - 1) << (address & 3);
    /* If there is a crowd of just these bytes, one of their cells stands for all. */
    if (is_crowd_of(load_relaxed(&cell->aw), bytes) || is_crowd_of(load_relaxed(&cell->ar), bytes))
        return cell_glance(g, cell, kind, t);
    return cells_noted(cell, (unsigned)size, kind, t) ? GLANCE_NOTED : GLANCE_NO;
}
