/* An access against the shadow: the slow path, after the same-epoch test of the entry points has failed.
 *
 * State machine of a word (docs/shadow.md):
 *
 *   plain word, whole-word plain access   one step applies the FastTrack2 rule: a compare-and-swap, or a
 * plain load and store where the chunk is the thread's own (shadow/owner.h) anything else the word's record,
 * under its lock (shadow/record.h)
 */
#pragma once

#include "shadow/record.h"

struct race_found {
    struct conflict conflict; /* conflict.earlier 0: no race */
    uintptr_t address;        /* of the first byte that races */
    uint32_t changed;         /* how many words changed their state */
};

/* An access of any size and alignment. */
HIDDEN void shadow_access(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                          struct race_found *found);

/* `count` plain accesses of `size` bytes (4, 8 or 16), `stride` bytes apart, to whole words from `at` on.
 * Returns how many are done: those up to the first that needs more than a quick step, or some of them. */
HIDDEN size_t shadow_elements(uintptr_t at, size_t count, size_t size, ptrdiff_t stride,
                              enum access_kind kind, struct actor *t, uint32_t *changed);

/* A read of a few bytes of one shared chunk, where the thread is announced (shadow/owner.h), if each word needs no more than a
 * quick step. False: it is to be made as any other; the first words may be done. */
HIDDEN bool shadow_read_few(uintptr_t address, size_t size, struct actor *t, uint32_t *changed);

/* A plain access in one chunk that the caller has to itself: it is announced there as its owner, or has taken
 * it away from the owner and not given it to anybody yet. */
HIDDEN void shadow_access_alone(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                                struct race_found *found);

/* A write to all the words of a block that is given back. */
HIDDEN void shadow_free(uintptr_t address, size_t size, struct actor *t, struct race_found *found);

/* Only the check of a write; the shadow stays as it is. Quick where no access has ever been. */
HIDDEN void shadow_check_write(uintptr_t address, size_t size, struct actor *t, struct race_found *found);

/* The program's own, if it has one: told of all bytes of an access that race, where pf_on_race (runtime/report.h) is told
 * of the first. It is called in the middle of a check: it may do no more than remember them. For tests (tests/place). */
__attribute__((weak, visibility("default"))) extern void pf_on_racy_bytes(const void *first, size_t size);

HIDDEN void note_racy_bytes(struct race_found *found, struct conflict c, uintptr_t address, size_t size);

/* Bytes that race for the same reason, if c has one. */
hot_inline void note_bytes(struct race_found *found, struct conflict c, uintptr_t address, size_t size)
{
    if (unlikely(c.earlier != 0))
        note_racy_bytes(found, c, address, size);
}

/* A whole word. */
hot_inline void note(struct race_found *found, struct conflict c, uintptr_t address)
{
    note_bytes(found, c, address, 4);
}

/* One byte, or the first of `alike`. Works on a copy: parts stay in registers. Returns whether the cell changed. */
hot_inline bool shadow_cell(struct cell *cell, uintptr_t address, unsigned alike, enum access_kind kind,
                            struct actor *t, struct race_found *found)
{
    struct cell before = *cell, after = before;
    note_bytes(found, cell_access(&after, kind, t, 0), address, alike);
    if (cell_same_parts(before, after))
        return false;
    *cell = after;
    return true;
}

/* Would the read make yet another set among too many? */
hot_inline bool cell_wants_readers(const struct cell *cell, struct actor *t)
{
    uint32_t r = cell->r;
    return unlikely(r & NARROW_TAG || !half_before(r, t->clock)) && r != t->now &&
           sets_with_old(r, t->now, t->clock, &t->memo) == 0;
}

/* The next where the record has a table of readers (shadow/byte_readers.h), or, for a read, shall have one. */
HIDDEN void shadow_cells_among(struct record *record, uintptr_t address, unsigned from, unsigned to,
                               enum access_kind kind, struct actor *t, struct race_found *found);

/* Bytes [from, to) of the word at `address`, whose record is locked. Neighbours mostly agree: then one is
 * worked out for all. */
hot_inline void shadow_cells_locked(struct record *record, uintptr_t address, unsigned from, unsigned to,
                                    enum access_kind kind, struct actor *t, struct race_found *found)
{
    struct cell *cell = record->cell;
    bool agree = true, changed;
    if (unlikely(record->special != 0))
        record_settle(record);
    if (unlikely(record->stays != 0))
        record->stays =
            (uint16_t)(kind != PLAIN_READ ? 0 : to - from == 4 ? record->stays - 1 : BYTES_FOLD_AFTER);
    bool row = kind == PLAIN_READ && byte_readers_possible(t->now);
    if (kind == PLAIN_READ && unlikely(!row))
        record_gather_readers(record);
    for (unsigned i = from + 1; i < to; i++)
        agree &= cell_same(&cell[i], &cell[from]);
    bool among = record->readers != 0 ||
                 (unlikely(record->stays != 0) && row &&
                  load_relaxed(&owner_table[owner_chunk(address)]) == OWNER_SHARED); /* for glances at it */
    for (unsigned i = from; row && i < (agree ? from + 1 : to); i++)
        among |= cell_wants_readers(&cell[i], t);
    if (unlikely(among)) {
        shadow_cells_among(record, address, from, to, kind, t, found);
        return;
    }
    changed = shadow_cell(&cell[from], address + from, agree ? to - from : 1, kind, t, found);
    for (unsigned i = from + 1; i < to; i++)
        if (unlikely(!agree))
            changed |= shadow_cell(&cell[i], address + i, 1, kind, t, found);
        else if (changed)
            cell[i] = cell[from];
    found->changed += changed;
}
