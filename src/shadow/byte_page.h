/* Bytes of several epochs in a chunk that is one thread's (shadow/owner.h), without records.
 *
 * A word says the same of its four bytes. Where they differ it has a record (shadow/record.h), with a lock,
 * since anybody may change it. Who has the chunk to itself needs no lock; and where it accesses many single
 * bytes, as in tables of bytes or in text that is read from anywhere, records take more time and memory than
 * all the rest. So a chunk of which several words were expanded gets a page: one cell for each of its bytes.
 * A cell is what a plain word is, R and W, for that byte alone, and the same rules hold for it
 * (shadow/word.h). A word that is PAGED says nothing itself: its four cells do.
 *
 * Invariants:
 *   1. words become PAGED, their cells change, and they become plain again by the thread whose chunk it is,
 * own or leased, with plain stores while it is announced there; by who has taken the chunk and given it to
 * nobody yet; or while the world is stopped
 *   2. in any other chunk, one that is shared or frozen, cells do not change. Whoever wants to change such a
 * word makes a record of it, by compare-and-swap (record_lock); so does whoever needs what cells have no room
 * for: atomics, a sync object, readers in a table
 *   3. cells of a word that is not PAGED mean nothing: they are filled before the word becomes so
 *   4. a page is its chunk's until no word of that is PAGED, and the world is stopped. Its memory stays
 * readable, and is empty when another chunk gets it
 *
 * Who looks without being in the chunk (shadow/same_epoch.h) looks again afterwards whether the word is PAGED
 * and the page is the same one. proof/shadow.pml has this, too.
 */
#pragma once

#include "clock/narrow.h"
#include "shadow/owner.h"

/* In place of W: no record has this index (base/arena.h). In place of R is an epoch in which its thread has
 * accessed all four bytes, or 0: whoever reads one of them in that epoch need not look at the cells. It may
 * be old, as any word may be to who looks for its own epoch (shadow/same_epoch.h). */
#define PAGED (NARROW_TAG | NARROW_TAG >> 1)

enum { CHUNK_BYTES = 1 << OWNER_CHUNK_BITS };

extern HIDDEN uint64_t **byte_pages; /* by chunk; NULL: it has none */

HIDDEN void byte_page_init(void);

hot_inline bool word_paged(uint64_t word)
{
    return write_half(word) == PAGED;
}

hot_inline uint64_t *byte_page_of(uint32_t chunk)
{
    return load_acquire(&byte_pages[chunk]);
}

/* The cells of a word. */
hot_inline uint64_t *byte_page_cells(uint64_t *page, const uint64_t *word)
{
    return page + (uintptr_t)word / sizeof *word * 4 % CHUNK_BYTES;
}

/* The same, where the word was found PAGED by who is inside (runtime/world.h). */
hot_inline uint64_t *byte_cells(const uint64_t *word)
{
    return byte_page_cells(byte_page_of(shadow_chunk(word)), word);
}

/* --- by the thread whose chunk it is --- */

/* A plain word without a vector becomes PAGED. */
hot_inline void byte_page_spell_out(uint64_t *cell, uint64_t *word, uint64_t seen)
{
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&cell[i], seen);
    store_release(word, PAGED);
}

hot_inline bool cell_known(uint64_t cell, uint32_t now)
{
    return write_half(cell) == now || read_half(cell) == now;
}

/* Some bytes of the word were read in the epoch `now`; if all were, it says so. */
hot_inline void byte_page_sum_up(uint64_t *word, const uint64_t *cell, uint32_t now)
{
    if (cell_known(cell[0], now) && cell_known(cell[1], now) && cell_known(cell[2], now) &&
        cell_known(cell[3], now))
        store_release(word, (uint64_t)now << 32 | PAGED);
}

hot_inline bool byte_cells_alike(const uint64_t *cell)
{
    return cell[0] == cell[1] && cell[0] == cell[2] && cell[0] == cell[3];
}

/* All of the word was written: mostly it is plain again. After reads it stays as it is: single bytes are
 * likely to be read again. */
hot_inline void byte_page_fold(uint64_t *word, const uint64_t *cell)
{
    if (likely(byte_cells_alike(cell)))
        store_release(word, cell[0]);
}

/* A word of the chunk is to be expanded. Its page, if it has one or deserves it. */
HIDDEN uint64_t *byte_page_wanted(uint32_t chunk);

/* --- while the world is stopped --- */

/* No word of the chunk is PAGED. */
HIDDEN void byte_page_give(uint32_t chunk);

/* For tests: how often a chunk got one. */
HIDDEN uint32_t byte_page_count(void);
