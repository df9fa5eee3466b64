/* Bytes of one word that differ: byte cells.
 *
 * A word says the same of its four bytes. Where a part of it is accessed alone, the word gets a group of four cells: 64 bits
 * for each byte, R and W of that byte (shadow/state.h). The word is PAGED then: R is the group's index, and the cells
 * say the rest, by the same rules, each changed by compare-and-swap. Accesses to the whole word step on its cells.
 *
 *   plain -> PAGED (materialize)              PAGED -> plain, empty, or a record (close)
 *   word: seen -> BUSY, by compare-and-swap   word: PAGED -> BUSY, by compare-and-swap
 *   all four cells := what the word said      each cell -> CELL_CLOSED, by compare-and-swap: what it said last
 *   word := PAGED                             word := the new state
 *
 *   byte access
 *   word = PAGED?
 *   cell: seen -> new, by compare-and-swap    fails, or finds CELL_CLOSED or BUSY: look at the word again
 *
 * Groups lie side by side and are given out in order, 64 at a time to each thread. One that its word has let go of is
 * garbage: sweeps find out which ones words still name (shadow/sweep.h), and all others are given out again.
 *
 * Invariants:
 *   1. A group is of one word until the world is stopped. Its cells change only while the word names it, or is BUSY
 *      on its way there or from there, or once no word names it; once they are CELL_CLOSED they stay so, unless
 *      bytes_fold() has closed them in vain and puts their states back. So a compare-and-swap that succeeds was right,
 *      however late it comes: the cell has the state that the rule was applied to, and the thread that closes it sees the
 *      new state.
 *   2. A thread that finds BUSY waits: the thread that made it so is in its gate or in the slow path, and waits for nobody.
 *
 * proof/bytes.pml is this as a model.
 */
#pragma once

#include "shadow/chunks.h"
#include "shadow/pair.h"
#include "shadow/state.h"

/* In place of W. Records have lower indices (base/arena.h). */
#define PAGED       VECTOR_TAG /* of a word. R is tagged as well: the index is never equal to an epoch */
#define CELL_CLOSED (VECTOR_TAG | 2) /* of a cell */

struct byte_group {
    uint64_t cell[4];
};
enum { BYTE_GROUP_BITS = 28 };

extern HIDDEN struct byte_group *byte_groups; /* by index */

hot_inline bool word_paged(uint64_t word)
{
    return write_half(word) == PAGED;
}

hot_inline uint32_t byte_group_of(uint64_t word)
{
    return read_half(word) & ~NARROW_TAG;
}

/* The four cells of a word that is PAGED. */
hot_inline uint64_t *byte_cells(uint64_t word)
{
    return byte_groups[byte_group_of(word)].cell;
}

/* Is there a group for the next word that needs one? */
hot_inline bool bytes_at_hand(const struct groups_at_hand *groups)
{
    return groups->free != 0 && groups->round == load_relaxed(&byte_round);
}

/* One access to two cells side by side, if no more needs to be known than in state_step(). False: nothing is done. */
hot_inline bool cells_step(uint64_t *cell, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    uint64_t low = load_acquire(&cell[0]), high = load_acquire(&cell[1]), low_to = low, high_to = high;
    if (!state_same_epoch(low, kind, t->now) && (low_to = state_step(low, kind, t)) == 0)
        return false;
    if (high == low)
        high_to = low_to;
    else if (!state_same_epoch(high, kind, t->now) && (high_to = state_step(high, kind, t)) == 0)
        return false;
    if (low_to == low && high_to == high)
        return true;
    if (unlikely(!cas_pair_each(cell, low, high, low_to, high_to)))
        return false;
    set_memo_served(&t->memo, low_to >> 63);
    set_memo_served(&t->memo, high_to >> 63);
    *changed += 1;
    return true;
}

/* Do they say the same? A guess while others may change them. */
hot_inline bool bytes_agree(const uint64_t *cell)
{
    uint64_t first = load_relaxed(&cell[0]);
    return load_relaxed(&cell[1]) == first && load_relaxed(&cell[2]) == first &&
           load_relaxed(&cell[3]) == first;
}

HIDDEN void bytes_init(void);

/* The word was `seen`: plain, and not empty by itself where its memory was freed. It is PAGED afterwards, unless
 * somebody else was faster. */
HIDDEN void bytes_materialize(uint64_t *word, uint64_t seen, struct actor *t);

/* A PAGED word, with a group of its own, whose bytes have these states. For callers without an actor. */
HIDDEN uint64_t bytes_new_paged(const uint64_t state[4]);

/* The word was `seen`, which is PAGED, and is BUSY now. True: the cells are closed, and said this last; vectors among their
 * readers are the caller's to free. False: the word is another by now. */
HIDDEN bool bytes_close(uint64_t *word, uint64_t seen, uint64_t cell[4]);

/* The word was `seen`, which is PAGED. If its cells are in one state, without a vector, the word says it itself from now on. */
HIDDEN void bytes_fold(uint64_t *word, uint64_t seen);

/* How many groups were given out since the last sweep, with those that it left. */
HIDDEN uint32_t bytes_live(void);
/* How many groups were closed since then, or left by words that were cleared: garbage. An estimate: clearing a
 * large range does not look at each word. */
HIDDEN uint32_t bytes_garbage(void);

/* This many PAGED words were cleared (shadow/clear.c). */
HIDDEN void bytes_cleared(uint32_t words);

/* --- while the world is stopped --- */

/* A sweep: no group is in use but those that are kept. */
HIDDEN void bytes_sweep_begin(void);
HIDDEN void bytes_keep(uint32_t group);
HIDDEN void bytes_sweep_end(void);
