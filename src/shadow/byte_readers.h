/* Readers of the bytes of one record, in a table that changes in place.
 *
 * Bytes that several threads read again and again, each time in a new epoch (names that every look-up is
 * compared with), would need a new set (shadow/sets.h) with each read, as words would (shadow/readers.h).
 * Their record gets a table: a row for each reader, by its slot, with the last epoch in which it has read
 * each of the four bytes. A read overwrites the reader's own row.
 *
 * Invariants:
 *   1. who has read a byte since its last write is said by its cell's r and by its column of the table,
 * together: nobody moves readers from one to the other but record_gather_readers(), which gives the table
 * back
 *   2. it changes only under the lock of its record. Whoever looks without believes what it saw only if the
 * record's `seq` is the same before and after (shadow/same_epoch.h); tables and outgrown rows stay readable
 *   3. a record that is one of a pair has none
 *   4. rows are of different slots, and each has an epoch in it; none are left when slots get other numbers
 * or bounds (sweep_settle)
 *   5. an epoch that is ordered before another one in its column is one too many, and may be dropped:
 * whatever is unordered with it later is unordered with the other, too
 *
 * Fold: a record whose bytes are read together only would do as well as a word. Bytes that were read by
 * themselves once are likely to be again, and a word whose readers change would have to be taken apart for
 * each: so that is looked at only after some reads of the whole word in a row.
 */
#pragma once

#include "base/arena.h"
#include "shadow/sets.h"

struct byte_row {
    uint32_t last; /* epoch of its reader */
    uint32_t read[4];
};

struct byte_readers {
    uint32_t free_link; /* base/arena.h */
    uint32_t count, room;
    uint32_t whole;       /* reads of all four bytes since one of less */
    struct byte_row *row; /* stays when the table is given back */
};

extern HIDDEN struct slab byte_readers_slab;

hot_inline struct byte_readers *byte_readers_at(uint32_t table)
{
    char *chunk = load_acquire(&load_acquire(&byte_readers_slab.chunk)[table >> SLAB_CHUNK_BITS]);
    return (struct byte_readers *)chunk + (table & ((1u << SLAB_CHUNK_BITS) - 1));
}

/* The row of the epoch's slot, or NULL. Needs no lock. First the count: rows that were looked up later have
 * room for it. */
hot_inline struct byte_row *byte_readers_row(uint32_t table, uint32_t half)
{
    const struct byte_readers *b = byte_readers_at(table);
    uint32_t count = load_acquire(&b->count);
    struct byte_row *row = load_acquire(&b->row);
    for (uint32_t i = 0; i < count; i++)
        if (half_slot(load_relaxed(&row[i].last) ^ half) == 0)
            return &row[i];
    return NULL;
}

/* A table without rows. It is some record's until it is given back. */
HIDDEN uint32_t byte_readers_new(void);
HIDDEN void byte_readers_free(uint32_t table);

/* A thread with this clock reads bytes [from, to) in the epoch `now`. False: the table said so already. */
HIDDEN bool byte_readers_add(uint32_t table, unsigned from, unsigned to, uint32_t now, const uint32_t *clock);

/* Nobody has read bytes [from, to) any more. False: no row is left. */
HIDDEN bool byte_readers_forget(uint32_t table, unsigned from, unsigned to);

/* An epoch in the byte's column that does not happen before the clock, or 0. */
HIDDEN uint32_t byte_readers_first_unordered(uint32_t table, unsigned byte, const uint32_t *clock);

/* The byte's column together with `reads`, as an epoch or a set. */
HIDDEN uint32_t byte_readers_joined(uint32_t table, unsigned byte, uint32_t reads);

/* Is it time for a word again, and are the columns alike? */
HIDDEN bool byte_readers_may_fold(uint32_t table);

/* How many tables are in use. */
HIDDEN uint32_t byte_readers_live(void);
