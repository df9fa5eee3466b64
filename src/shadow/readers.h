/* Readers of one word, in a vector that changes in place (shadow/vectors.h).
 *
 * A set (shadow/sets.h) suits an array that the same threads scan: one set serves all its words. A word that
 * many threads read again and again, each time in a new epoch (a global that every critical section looks
 * at), would need a new set each time. Such a word gets a vector of its own, whose index is the word's R:
 * each reader overwrites its own entry, which is one compare-and-swap and no look-up.
 *
 *   reader                                     whoever takes the vector away from the word
 *   seen := word, which names the vector       word := something else, by compare-and-swap
 *   old := its entry; word = seen still?       looks at the entries (or copies them)
 *   entry: old -> epoch, by compare-and-swap   all entries := next generation
 *   word = seen still?  done : begin again     gives the vector back
 *
 * 1. A reader that is done is seen: its second look at the word came after its entry (a compare-and-swap is a
 * full fence), so the word changed after that, and the entries are looked at later still.
 * 2. A late reader spoils no other word's vector: its `old` is of a generation that is over, so its
 * compare-and-swap fails. (Its own epochs are put there by no other thread: who had read before is kept
 * apart, as a set.)
 * 3. A reader that begins again may have been seen before and tells of the same race, which is one, a second
 * time.
 *
 * Settled vectors. A word that has been read for a while, and not written, is likely to stay so. Then readers
 * that have announced its chunk (shadow/owner.h) just store their epoch, and whoever wants to change the word
 * pays for it:
 *
 *   reader                                     whoever wants to take a settled vector away
 *   busy := chunk                              word: SETTLED -> LEAVING, by compare-and-swap
 *   (no fence)                                 membarrier: every running thread executes a full fence
 *   seen := word, which says SETTLED           waits for each thread that is busy in the chunk
 *   entry := epoch                             word: LEAVING -> neither; goes on as above
 *   busy := none
 *
 * Either the reader looks at the word after the fence, and sees that it is not settled, or it is waited for.
 * While a vector is LEAVING, readers add themselves as above, and nobody takes it away.
 */
#pragma once

#include "shadow/cell.h"

hot_inline bool is_readers(uint32_t reads)
{
    return is_vector(reads);
}

#define READERS_SETTLED (UINT32_C(1) << 26)
#define READERS_LEAVING (UINT32_C(1) << 25)
_Static_assert(VECTOR_INDEX_BITS <= 25, "an index fits below the flags");

enum readers_answer {
    READERS_KNOWN, /* its epoch was there */
    READERS_ADDED,
    READERS_AGAIN /* the word has changed: look at it again */
};

/* The thread reads the word, which was `seen` and names a vector. */
HIDDEN enum readers_answer readers_add(uint64_t *word, uint64_t seen, const struct actor *t);

/* May a reader just store its epoch? If not, and the word is to change, readers_unsettle comes first. */
hot_inline bool readers_settled(uint64_t word)
{
    return (read_half(word) & (VECTOR_TAG | READERS_SETTLED)) == (VECTOR_TAG | READERS_SETTLED);
}

hot_inline bool readers_stay(uint64_t word)
{
    return is_readers(read_half(word)) && (read_half(word) & (READERS_SETTLED | READERS_LEAVING)) != 0;
}

/* The word is not settled any more, or has changed: look at it again. So are the next ones, `count` in all,
 * or some of them, which are in the same chunk: it costs no more. The thread holds no lock and is in no
 * chunk. */
HIDDEN void readers_unsettle(uint64_t *word, size_t count);

/* The word was `seen` and names a vector: has the thread with this row read it in this epoch? If so, that is
 * noted, and so is any conflict: the vector is given back when the word is written, and then the entry is not
 * this epoch any more. */
hot_inline bool readers_known(uint64_t seen, const uint32_t *row, uint32_t now)
{
    return load_acquire(&row[vector_index(read_half(seen))]) == now;
}

hot_inline void readers_note(uint64_t seen, uint32_t *row, uint32_t now)
{
    store_relaxed(&row[vector_index(read_half(seen))], now);
}
