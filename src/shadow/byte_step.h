/* A few bytes of a chunk that has a page of cells (shadow/byte_page.h) and is the thread's own: what needs no
 * more than quick steps (shadow/quick.h) of its words and cells.
 */
#pragma once

#include "shadow/one_step.h"
#include "shadow/same_epoch.h"

/* What the access makes of a cell, which is not its own of this epoch. False: not here. */
hot_inline bool cell_to(struct actor *t, uint64_t from, enum access_kind kind, uint64_t *to)
{
    *to = exclusive_after(t, from, kind);
    return (has_one_reader(from) && likely(is_exclusive(t, from))) || step_known(t, from, kind, to);
}

/* Neighbours are mostly alike. */
hot_inline bool cells_step(struct actor *t, uint64_t *cell, unsigned from, unsigned to, enum access_kind kind,
                           uint32_t *changed)
{
    uint64_t last = 0, next = 0; /* no step */
    for (unsigned i = from; i < to; i++) {
        uint64_t seen = cell[i];
        if (same_epoch_alone(seen, kind, t->now))
            continue;
        if (unlikely(seen != last || next == 0)) {
            if (unlikely(!cell_to(t, seen, kind, &next)))
                return false;
            last = seen;
        }
        store_relaxed(&cell[i], next);
        *changed += next != seen;
    }
    return true;
}

/* Could the word be PAGED? */
hot_inline bool word_simple(const uint64_t *word, uint64_t seen)
{
    return likely(!word_expanded(seen) && !is_readers(read_half(seen))) && !(seen == 0 && freed_any(word, 1));
}

/* Bytes [from, to) of a word. */
hot_inline bool bytes_step(struct actor *t, uint64_t *word, uint64_t *page, unsigned from, unsigned to,
                           enum access_kind kind, uint32_t *changed)
{
    uint64_t seen = load_acquire(word), *cell = byte_page_cells(page, word);
    if (!word_paged(seen)) {
        if (to - from == 4)
            return quick_own(word, 1, kind, t, changed) == 1;
        if (same_epoch_alone(seen, kind, t->now))
            return true;
        if (!word_simple(word, seen))
            return false;
        byte_page_spell_out(cell, word, seen);
    }
    if (unlikely(!cells_step(t, cell, from, to, kind, changed)))
        return false;
    if (kind == PLAIN_READ && unlikely(read_half(cell[from]) & NARROW_TAG))
        frozen_had_better(shadow_chunk(word), t);
    if (kind == PLAIN_READ)
        byte_page_sum_up(word, cell, t->now);
    else if (to - from == 4)
        byte_page_fold(word, cell);
    return true;
}

/* False: not here, or not all of it. *changed: some of it is not as it was. */
hot_inline bool byte_page_step(struct actor *t, uintptr_t address, unsigned size, enum access_kind kind,
                               uint32_t *changed)
{
    uint32_t chunk = owner_chunk(address);
    uintptr_t end = address + size;
    uint64_t *page = NULL;
    if (likely(owner_is_quick(&t->owner, owner_announce(&t->owner, chunk))) &&
        likely(owner_chunk(end - 1) == chunk))
        page = byte_page_of(chunk);
    bool done = page != NULL;
    if (done && kind == PLAIN_WRITE)
        owner_writes(chunk);
    for (uintptr_t base = address & ~(uintptr_t)3; done && base < end; base += 4) {
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        done = bytes_step(t, shadow_of(base), page, from, to, kind, changed);
    }
    owner_leave(&t->owner);
    return done;
}
