/* An access against the shadow: the slow path, after the fast path of the entry points has given up.
 *
 *   plain word        one compare-and-swap applies the FastTrack2 rule (shadow/state.h)
 *   bytes that differ the same on the cell of each byte (shadow/bytes.h)
 *   atomics           the word's record, under its lock (shadow/record.h)
 */
#pragma once

#include "shadow/record.h"

struct race_found {
    struct conflict conflict; /* conflict.earlier 0: no race */
    uintptr_t address;        /* of the first byte that races */
    uint32_t changed;         /* how many words changed their state */
};

/* Reserves the tables beside the words. False: fast paths stay closed (shadow/gate.h). */
HIDDEN bool shadow_init(void);

/* An access of any size and alignment. */
HIDDEN void shadow_access(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                          struct race_found *found);

/* `count` plain accesses of `size` bytes (whole words), `stride` bytes apart. Returns how many are done: those
 * before the first that needs shadow_access(), as those do that may race. found->conflict: a free() came at the
 * same time as one of them. */
HIDDEN size_t shadow_elements(uintptr_t at, size_t count, size_t size, ptrdiff_t stride,
                              enum access_kind kind, struct actor *t, struct race_found *found);

/* A write to words that are empty and that nobody else knows, from and to a multiple of 8. They are not looked at. */
HIDDEN void shadow_write_fresh(uintptr_t address, size_t size, uint32_t now);

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

/* --- records --- */

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

/* Bytes [from, to) of the word at `address`, whose record is locked. Neighbours mostly agree: then one is
 * worked out for all. */
hot_inline void shadow_cells_locked(struct record *record, uintptr_t address, unsigned from, unsigned to,
                                    enum access_kind kind, struct actor *t, struct race_found *found)
{
    struct cell *cell = record->cell;
    bool agree = true, changed;
    if (unlikely(record->special != 0))
        record_settle(record);
    for (unsigned i = from + 1; i < to; i++)
        agree &= cell_same(&cell[i], &cell[from]);
    changed = shadow_cell(&cell[from], address + from, agree ? to - from : 1, kind, t, found);
    for (unsigned i = from + 1; i < to; i++)
        if (unlikely(!agree))
            changed |= shadow_cell(&cell[i], address + i, 1, kind, t, found);
        else if (changed)
            cell[i] = cell[from];
    found->changed += changed;
}
