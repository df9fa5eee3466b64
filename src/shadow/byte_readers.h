/* Readers of the bytes of one record, in a table that changes in place.
 *
 * Bytes that several threads read again and again, each time in a new epoch (names that every look-up is
 * compared with), would need a new set (shadow/sets.h) with each read, as words would (shadow/readers.h).
 * Their record gets a table: a row for each slot, with the last epoch in which its thread has read each of
 * the four bytes, or 0. A read overwrites the reader's own row.
 *
 * Invariants:
 *   1. who has read a byte since its last write is said by its cell's r and by its column of the table,
 * together: nobody moves readers from one to the other but record_gather_readers(), which gives the table
 * back
 *   2. it changes only under the lock of its record; except that a thread may overwrite its own row, if that
 * is not empty, without: all of it at once, by compare-and-swap, and looks afterwards whether anybody has
 * held the lock meanwhile (shadow/byte_glance.h). Whoever else looks without the lock believes what it saw
 * only if the record's `seq` is the same before and after (shadow/same_epoch.h)
 *   3. a record that is one of a pair has none
 *   4. none are left when slots get other numbers or bounds (sweep_settle)
 *   5. an epoch that is ordered before another one in its column is one too many, and may be dropped:
 * whatever is unordered with it later is unordered with the other, too
 *   6. a table that is nobody's is empty, and an empty row is filled only by its thread, with the lock of the
 * table's record. So a thread that is late, and found its row in a table that has been given back since,
 * finds it changed
 *
 * Fold: a record whose bytes are read together only would do as well as a word. Bytes that were read by
 * themselves once are likely to be again, and a word whose readers change would have to be taken apart for
 * each: so that is looked at only after some reads of the whole word in a row.
 */
#pragma once

#include <emmintrin.h>

#include "base/arena.h"
#include "shadow/sets.h"

struct byte_row {
    uint32_t read[4];
} __attribute__((aligned(16)));

struct byte_readers {
    uint32_t free_link; /* base/arena.h */
    uint32_t whole;     /* reads of all four bytes, with the lock, since one of less */
};

/* Tables, 4 abreast: the rows of one slot are in one cache line, as the entries of vectors are
 * (shadow/readers.h).
 *
 *   [rows of slot 0: 4 tables] [of slot 1: 4] ... [of the last slot: 4] */
enum { BYTES_CLASSES = 5, BYTES_CLASS_SHIFT = 26, BYTES_ABREAST = 4, BYTES_MOST_SLOTS = 1020 };
enum { BYTES_IN_CHUNK = 1 << SLAB_CHUNK_BITS, BYTES_CHUNKS = 1 << (BYTES_CLASS_SHIFT - SLAB_CHUNK_BITS) };

extern HIDDEN const uint32_t
    bytes_room[BYTES_CLASSES]; /* how many slots there are in a table of this class */
extern HIDDEN struct byte_row *bytes_rows[BYTES_CLASSES][BYTES_CHUNKS]; /* of BYTES_IN_CHUNK tables each */
extern HIDDEN struct slab bytes_slabs[BYTES_CLASSES];

hot_inline unsigned bytes_class(uint32_t table)
{
    return table >> BYTES_CLASS_SHIFT;
}

hot_inline uint32_t bytes_index(uint32_t table)
{
    return table & ((1u << BYTES_CLASS_SHIFT) - 1);
}

hot_inline struct byte_readers *byte_readers_at(uint32_t table)
{
    return slab_at(&bytes_slabs[bytes_class(table)], bytes_index(table));
}

hot_inline struct byte_row *bytes_row_at(uint32_t table, uint32_t slot)
{
    uint32_t class = bytes_class(table), index = bytes_index(table), in_chunk = index % BYTES_IN_CHUNK;
    struct byte_row *chunk = load_acquire(&bytes_rows[class][index / BYTES_IN_CHUNK]);
    return &chunk[(size_t)(in_chunk / BYTES_ABREAST * bytes_room[class] + slot) * BYTES_ABREAST +
                  in_chunk % BYTES_ABREAST];
}

/* The row of the epoch's slot, or NULL: the table has no room for it. Needs no lock. */
hot_inline struct byte_row *byte_readers_row(uint32_t table, uint32_t half)
{
    uint32_t slot = half_slot(half);
    return likely(slot < bytes_room[bytes_class(table)]) ? bytes_row_at(table, slot) : NULL;
}

/* All ones in the bytes [from, to) of a row. */
hot_inline __m128i bytes_mask(unsigned from, unsigned to)
{
    const __m128i byte = _mm_setr_epi32(0, 1, 2, 3);
    return _mm_and_si128(_mm_cmpgt_epi32(byte, _mm_set1_epi32((int)from - 1)),
                         _mm_cmpgt_epi32(_mm_set1_epi32((int)to), byte));
}

hot_inline bool bytes_same(__m128i a, __m128i b)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi32(a, b)) == 0xffff;
}

hot_inline bool bytes_empty(__m128i row)
{
    return bytes_same(row, _mm_setzero_si128());
}

/* False: the row is not `old` any more, or never was: loads of whole rows may be torn. */
hot_inline bool bytes_swap(struct byte_row *row, __m128i old, __m128i new)
{
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(old),
             high = (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(old, 8)),
             new_low = (uint64_t)_mm_cvtsi128_si64(new),
             new_high = (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(new, 8));
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*row), "+a"(low), "+d"(high)
                     : "b"(new_low), "c"(new_high)
                     : "memory");
    return done;
}

/* Could a thread in this epoch be in a table? Not if its slot is too high. */
hot_inline bool byte_readers_possible(uint32_t now)
{
    return likely(half_slot(now) < BYTES_MOST_SLOTS);
}

/* A table with room for a thread in this epoch, for whom it is possible: this one, or one that has its rows;
 * 0: a new one. It is some record's until it is given back. */
HIDDEN uint32_t byte_readers_with_room(uint32_t table, uint32_t now);
HIDDEN void byte_readers_free(uint32_t table);

/* A thread with this clock reads bytes [from, to) in the epoch `now`. False: the table said so already. */
HIDDEN bool byte_readers_add(uint32_t table, unsigned from, unsigned to, uint32_t now, const uint32_t *clock);

/* Nobody has read bytes [from, to) any more. False: no row is left. */
HIDDEN bool byte_readers_forget(uint32_t table, unsigned from, unsigned to);

/* An epoch in the byte's column that does not happen before the clock, or 0. */
HIDDEN uint32_t byte_readers_first_unordered(uint32_t table, unsigned byte, const uint32_t *clock);

/* The byte's column together with `reads`, as an epoch or a set. */
HIDDEN uint32_t byte_readers_joined(uint32_t table, unsigned byte, uint32_t reads);

/* After so many reads of the whole word in a row, and each time after as many again, it is looked whether the
 * table can be given up. */
#ifndef BYTES_FOLD_AFTER /* test builds have it at 2 and 4 */
#define BYTES_FOLD_AFTER 16
#endif

hot_inline bool bytes_fold_due(uint32_t whole)
{
    return unlikely(whole % BYTES_FOLD_AFTER == BYTES_FOLD_AFTER - 1);
}

/* Is it time for a word again, and are the columns alike? */
HIDDEN bool byte_readers_may_fold(uint32_t table);

/* How many tables are in use. */
HIDDEN uint32_t byte_readers_live(void);
