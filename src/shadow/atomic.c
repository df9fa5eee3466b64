#include "shadow/atomic.h"

/* --- locking --- */

hot_inline bool enter(struct actor *t, uint32_t chunk)
{
    return unlikely(load_acquire(&owner_table[chunk]) != OWNER_SHARED) && owner_begin(&t->owner, chunk);
}

/* record_lock(), with the common case inline. */
hot_inline struct record *lock_word(uint64_t *word)
{
    uint64_t seen = load_acquire(word);
    if (likely(word_expanded(seen))) {
        struct record *record = record_at(seen);
        spin_lock(&record->lock);
        if (likely(load_relaxed(word) == seen))
            return record;
        spin_unlock(&record->lock);
    }
    return record_lock(word);
}

struct record *atomic_lock(uintptr_t address, size_t size, struct actor *t, bool *own)
{
    uint32_t chunk = owner_chunk(address), last = owner_chunk(address + size - 1);
    if (unlikely(last != chunk)) /* from now on it is either shared or ours: further_word() will not wait */
        owner_end(&t->owner, enter(t, last));
    *own = enter(t, chunk);
    return lock_word(shadow_of(address));
}

/* --- the check --- */

hot_inline bool fits(uint32_t part, uint32_t bytes)
{
    return !is_crowd(part) || crowd_at(part)->bytes == bytes;
}

/* shadow_cells_locked() for atomic accesses, with crowds where all the bytes are in one state. */
hot_inline void atomic_cells_locked(struct record *record, uintptr_t address, unsigned from, unsigned to,
                                    enum access_kind kind, struct actor *t, struct race_found *found)
{
    struct cell *cell = record->cell, before = cell[from], after = before;
    uint32_t bytes = ((1u << to) - 1) & ~((1u << from) - 1);
    bool agree = true;
    for (unsigned i = from + 1; i < to; i++)
        agree &= cell_same(&cell[i], &cell[from]);
    if (unlikely(!(agree && fits(before.aw, bytes) && fits(before.ar, bytes)))) {
        shadow_cells_locked(record, address, from, to, kind, t, found);
        return;
    }
    t->crowd_changed = false;
    note(found, cell_access(&after, kind, t, bytes), address + from);
    if (before.aw == after.aw && before.ar == after.ar && !t->crowd_changed)
        return;
    record->crowds +=
        (is_crowd(after.aw) && !is_crowd(before.aw)) + (is_crowd(after.ar) && !is_crowd(before.ar));
    for (unsigned i = from; i < to; i++)
        cell[i] = after;
    found->changed++;
}

/* The bytes of one word, whose record is not locked. */
hot_inline void further_word(uintptr_t base, unsigned to, uint32_t entered, enum access_kind kind,
                             struct actor *t, struct race_found *found)
{
    uint32_t chunk = owner_chunk(base);
    /* A second chunk takes the place of the first in `busy`; the first word's record stays locked all the
     * same. */
    bool own = unlikely(chunk != entered) && enter(t, chunk);
    struct record *record = lock_word(shadow_of(base));
    atomic_cells_locked(record, base, 0, to, kind, t, found);
    spin_unlock(&record->lock); /* it has an atomic part now: no fold */
    owner_end(&t->owner, own);
}

hot_inline void shadow_atomic(struct record *first, uintptr_t address, size_t size, enum access_kind kind,
                              struct actor *t, struct race_found *found)
{
    uintptr_t base = address & ~(uintptr_t)3, end = address + size;
    unsigned from = (unsigned)(address - base), to = (unsigned)min_size(end - base, 4);
    *found = (struct race_found){0};
    atomic_cells_locked(first, base, from, to, kind, t, found);
    for (base += 4; base < end; base += 4)
        further_word(base, (unsigned)min_size(end - base, 4), owner_chunk(address), kind, t, found);
}

void shadow_atomic_read(struct record *first, uintptr_t address, size_t size, struct actor *t,
                        struct race_found *found)
{
    shadow_atomic(first, address, size, ATOMIC_READ, t, found);
}

void shadow_atomic_write(struct record *first, uintptr_t address, size_t size, struct actor *t,
                         struct race_found *found)
{
    shadow_atomic(first, address, size, ATOMIC_WRITE, t, found);
}
