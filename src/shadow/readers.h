/* Readers of one word, in a vector that changes in place.
 *
 * A set (shadow/sets.h) suits an array that the same threads scan: one set serves all its words. A word that
 * many threads read again and again, each time in a new epoch (a global that every critical section looks
 * at), would need a new set each time. Such a word gets a vector of its own: each reader overwrites its own
 * entry, which is one compare-and-swap and no look-up.
 *
 * A half of a word's R with both tag bits is a vector's index. Entries are by slot: the reader's last epoch,
 * or, no read yet: 0 in a new vector, and the vector's generation, tagged, in one that was used before.
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
 *
 * While the world is stopped (shadow/sweep.h) all vectors become sets: slots may get other numbers.
 *
 * A vector that is too short for a slot is followed by a longer one that names it (`older`): entries are
 * never copied, so none is lost on the way.
 */
#pragma once

#include "base/arena.h"
#include "shadow/cell.h"

hot_inline bool is_readers(uint32_t reads)
{
    return (reads & CROWD_TAG) == CROWD_TAG;
}

enum { READERS_MOST_SLOTS = 1020 };

#define READERS_SETTLED (UINT32_C(1) << 26)
#define READERS_LEAVING (UINT32_C(1) << 25)

/* Could these readers (an epoch or a set) and a thread in this epoch be in one? Not if a slot is too high. */
HIDDEN bool readers_possible(uint32_t reads, uint32_t now);

/* A vector with these readers (an epoch or a set) and the thread's own epoch. It belongs to no word yet. */
HIDDEN uint32_t readers_new(uint32_t reads, const struct actor *t);

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
    return (read_half(word) & (CROWD_TAG | READERS_SETTLED)) == (CROWD_TAG | READERS_SETTLED);
}

hot_inline bool readers_stay(uint64_t word)
{
    return is_readers(read_half(word)) && (read_half(word) & (READERS_SETTLED | READERS_LEAVING)) != 0;
}

/* The word is not settled any more, or has changed: look at it again. So are the next ones, `count` in all, or some of
 * them, which are in the same chunk: it costs no more. The thread holds no lock and is in no chunk. */
HIDDEN void readers_unsettle(uint64_t *word, size_t count);

/* Vectors, 16 abreast: the entries of one slot are in one cache line, so that readers on several processors
 * do not wait for each other, and what a reader writes for words that got their vectors one after the other
 * is in one line, too.
 *
 *   [entries of slot 0: 16 vectors] [of slot 1: 16] ... [of the last slot: 16] */
enum { READERS_CLASSES = 5, READERS_CLASS_SHIFT = 27, READERS_INDEX_BITS = 25, READERS_ABREAST = 16 };
enum {
    READERS_IN_CHUNK = 1 << SLAB_CHUNK_BITS,
    READERS_CHUNKS = 1 << (READERS_INDEX_BITS - SLAB_CHUNK_BITS)
};

extern HIDDEN const uint32_t
    readers_room[READERS_CLASSES]; /* how many slots there are in a vector of this class */
extern HIDDEN uint32_t
    *readers_entries[READERS_CLASSES][READERS_CHUNKS]; /* of READERS_IN_CHUNK vectors each */

/* The highest slot that any reader ever wanted, and 1: entries from there on have never been used. It grows
 * before the entry is looked at, by a full fence; whoever takes a vector from its word looks at it later, so
 * that it either sees the entry's slot, or the reader sees that the word has changed. */
extern HIDDEN uint32_t readers_slots;

hot_inline unsigned readers_class(uint32_t reads)
{
    return (reads & ~CROWD_TAG) >> READERS_CLASS_SHIFT;
}

hot_inline uint32_t readers_index(uint32_t reads)
{
    return reads & ((1u << READERS_INDEX_BITS) - 1);
}

hot_inline uint32_t *readers_entry(uint32_t reads, uint32_t slot)
{
    uint32_t class = readers_class(reads), index = readers_index(reads), in_chunk = index % READERS_IN_CHUNK;
    uint32_t *chunk = load_acquire(&readers_entries[class][index / READERS_IN_CHUNK]);
    return &chunk[(size_t)(in_chunk / READERS_ABREAST * readers_room[class] + slot) * READERS_ABREAST +
                  in_chunk % READERS_ABREAST];
}

/* The word was `seen` and names a vector: has the thread read it in this epoch? If so, that is noted, and so
 * is any conflict: the vector is given back when the word is written, and then the entry is not this epoch
 * any more. */
hot_inline bool readers_known(uint64_t seen, uint32_t now)
{
    uint32_t reads = read_half(seen), slot = half_slot(now);
    return likely(slot < readers_room[readers_class(reads)]) &&
           load_acquire(readers_entry(reads, slot)) == now;
}

/* May the thread, whose chunk is announced, note a read of the word in this epoch? Its write is another
 * thing. */
hot_inline bool readers_can_note(uint64_t seen, const struct actor *t)
{
    uint32_t slot = half_slot(t->now);
    return readers_settled(seen) &&
           likely(slot < load_relaxed(&readers_slots) && slot < readers_room[readers_class(read_half(seen))]);
}

hot_inline void readers_note(uint64_t seen, const struct actor *t)
{
    store_relaxed(readers_entry(read_half(seen), half_slot(t->now)), t->now);
}

/* For a vector that was taken away from its word, or never belonged to one: */

/* An epoch in it that does not happen before the clock, or 0. */
HIDDEN uint32_t readers_first_unordered(uint32_t reads, const uint32_t *clock);
HIDDEN uint32_t readers_intern(uint32_t reads); /* the same readers as an epoch or a set */
HIDDEN void readers_free(uint32_t reads);

/* How many vectors are in use. */
HIDDEN uint32_t readers_live(void);
