#include "shadow/atomic.h"

/* --- locking --- */

/* record_lock(), with the common case inline. `after`: the record of the word before is locked by this thread
 * and does not lead; should this one seem to follow it, it followed one before. */
hot_inline struct record *lock_word(uint64_t *word, bool after)
{
    uint64_t seen = load_acquire(word);
    if (likely(word_recorded(seen))) {
        struct record *record = record_at(seen);
        record_hold(record);
        bool same = likely(load_relaxed(word) == seen);
        if (same && after)
            record->special &= ~FOLLOWS;
        if (same && likely(!(record->special & FOLLOWS)))
            return record;
        record_release(record);
    }
    return record_lock(word);
}

/* --- the check --- */

hot_inline bool fits(uint32_t part, uint32_t bytes)
{
    return !is_crowd(part) || vector_at(part)->bytes == bytes;
}

/* shadow_cells_locked() for atomic accesses, with crowds where all the bytes are in one state. */
hot_inline void atomic_cells_locked(struct record *record, uintptr_t address, unsigned from, unsigned to,
                                    enum access_kind kind, struct actor *t, struct race_found *found)
{
    const struct cell *cell = record->cell;
    uint32_t bytes = ((1u << to) - 1) & ~((1u << from) - 1);
    bool agree = !(record->special & LEADS) && vector_possible(t->now);
    for (unsigned i = from + 1; i < to; i++)
        agree &= cell_same(&cell[i], &cell[from]);
    if (likely(agree && fits(cell[from].aw, bytes) && fits(cell[from].ar, bytes)))
        alike_cells_locked(record, address, from, to, bytes, kind, t, found);
    else
        shadow_cells_locked(record, address, from, to, kind, t, found);
}

/* The bytes of one word, whose record is not locked; that of the word at `locked` is. */
hot_inline void further_word(uintptr_t base, unsigned to, uintptr_t locked, enum access_kind kind,
                             struct actor *t, struct race_found *found)
{
    struct record *record = lock_word(shadow_of(base), base - 4 <= locked);
    atomic_cells_locked(record, base, 0, to, kind, t, found);
    record_release(record); /* it has an atomic part now: no fold */
}

static bool can_pair(const struct record *first, const struct record *second)
{
    bool alike = first->special == 0 && second->special == 0;
    for (int i = 0; i < 4; i++)
        alike &= cell_same(&first->cell[i], first->cell) && cell_same(&second->cell[i], first->cell);
    return alike;
}

cold_path bool atomic_pair(struct record *first)
{
    struct record *second = lock_word(first->word + 1, true);
    bool paired = can_pair(first, second);
    if (paired) {
        first->special |= LEADS;
        second->special |= FOLLOWS;
    }
    record_release(second);
    return paired;
}

void shadow_atomic_slow(struct record *first, uintptr_t address, size_t size, enum access_kind kind,
                        struct actor *t, struct race_found *found)
{
    uintptr_t base = address & ~(uintptr_t)3, end = address + size;
    unsigned from = (unsigned)(address - base), to = (unsigned)min_size(end - base, 4);
    atomic_cells_locked(first, base, from, to, kind, t, found);
    for (base += 4; base < end; base += 4)
        further_word(base, (unsigned)min_size(end - base, 4), address, kind, t, found);
}
