/* Bytes of one word that differ: byte cells.
 *
 * A word says the same of its four bytes. Where a part of it is accessed alone, its chunk gets a page of cells:
 * 64 bits for each byte, R and W of that byte (shadow/state.h). The word is PAGED then and says nothing itself;
 * its four cells do, by the same rules, each changed by compare-and-swap.
 *
 *   plain -> PAGED (materialize)              PAGED -> plain, or a record (fold)
 *   word: seen -> BUSY, by compare-and-swap   word: PAGED -> BUSY, by compare-and-swap
 *   all four cells := what the word said      each cell -> CELL_CLOSED, by compare-and-swap: what it said last
 *   word := PAGED                             word := the new state
 *
 *   byte access
 *   word = PAGED?
 *   cell: seen -> new, by compare-and-swap    fails, or finds CELL_CLOSED or BUSY: look at the word again
 *
 * Invariants:
 *   1. A cell changes only if its word is PAGED, or BUSY on its way from there: CELL_CLOSED cells, and those that were
 *      never used, stay as they are. So a compare-and-swap that succeeds was right, however late it comes: the cell
 *      has the state that the rule was applied to, and whoever folds sees what it has become.
 *   2. Who finds BUSY waits: who made it so is in its gate or in the slow path and waits for nobody.
 *   3. A page belongs to its chunk until no word of it is PAGED and the world is stopped. Whoever is in the gate or
 *      in the slow path need not look again whether the page is the right one.
 *
 * proof/bytes.pml is this as a model.
 */
#pragma once

#include "shadow/chunks.h"
#include "shadow/state.h"

/* In place of W. Records have lower indices (base/arena.h). */
#define PAGED       VECTOR_TAG       /* of a word */
#define CELL_CLOSED (VECTOR_TAG | 2) /* of a cell */

enum { CHUNK_BYTES = 1 << CHUNK_BITS };

extern HIDDEN uint64_t **byte_pages; /* by chunk; NULL: it has none */

hot_inline bool word_paged(uint64_t word)
{
    return write_half(word) == PAGED;
}

hot_inline bool bytes_has_page(uint32_t chunk)
{
    return load_relaxed(&byte_pages[chunk]) != NULL;
}

/* The cell of a byte, whose word was found PAGED. */
hot_inline uint64_t *byte_cell(uintptr_t address)
{
    return load_acquire(&byte_pages[chunk_of(address)]) + address % CHUNK_BYTES;
}

/* The four cells of a word that was found PAGED. */
hot_inline uint64_t *byte_cells(const uint64_t *word)
{
    return load_acquire(&byte_pages[shadow_chunk(word)]) + (uintptr_t)word / sizeof *word * 4 % CHUNK_BYTES;
}

/* Where a page may become another chunk's meanwhile. NULL: there is none. */
hot_inline const uint64_t *byte_cells_outside(const uint64_t *word)
{
    const uint64_t *page = load_acquire(&byte_pages[shadow_chunk(word)]);
    return page != NULL ? page + (uintptr_t)word / sizeof *word * 4 % CHUNK_BYTES : NULL;
}

HIDDEN void bytes_init(void);

/* The word was `seen`: plain, and not empty by itself where its memory was freed. It is PAGED afterwards, unless
 * somebody else was faster. */
HIDDEN void bytes_materialize(uint64_t *word, uint64_t seen);

/* PAGED -> BUSY. True: the cells are closed, and said this last; vectors among their readers are the caller's to
 * free. False: the word is another by now. */
HIDDEN bool bytes_close(uint64_t *word, uint64_t cell[4]);

/* --- while the world is stopped --- */

/* No word of the chunk is PAGED. */
HIDDEN void bytes_free_page(uint32_t chunk);

/* How often a chunk got one: for tests. */
HIDDEN uint32_t bytes_pages_count(void);
