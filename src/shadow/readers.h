/* Readers of one word, in a vector that changes in place.
 *
 * A set (shadow/sets.h) suits an array that the same threads scan: one set serves all its words. A word that many
 * threads read again and again, each time in a new epoch (a global that every critical section looks at), would need a
 * new set each time. Such a word gets a vector of its own: each reader overwrites its own entry, which is one
 * compare-and-swap and no look-up.
 *
 * A half of a word's R with both tag bits is a vector's index. Entries are by slot: the reader's last epoch, or, tagged,
 * the vector's generation (no read yet).
 *
 *   reader                                     whoever takes the vector away from the word
 *   seen := word, which names the vector       word := something else, by compare-and-swap
 *   old := its entry; word = seen still?       looks at the entries (or copies them)
 *   entry: old -> epoch, by compare-and-swap   all entries := next generation
 *   word = seen still?  done : begin again     gives the vector back
 *
 * 1. A reader that is done is seen: its second look at the word came after its entry (a compare-and-swap is a full
 *    fence), so the word changed after that, and the entries are looked at later still.
 * 2. A late reader spoils no other word's vector: its `old` is of a generation that is over, so its compare-and-swap
 *    fails. (Its own epochs are put there by no other thread: who had read before is kept apart, as a set.)
 * 3. A reader that begins again may have been seen before and tells of the same race, which is one, a second time.
 *
 * While the world is stopped (shadow/sweep.h) all vectors become sets: slots may get other numbers.
 *
 * A vector that is too short for a slot is followed by a longer one that names it (`older`): entries are never copied, so
 * none is lost on the way.
 */
#pragma once

#include "shadow/cell.h"

hot_inline bool is_readers(uint32_t reads)
{
    return (reads & CROWD_TAG) == CROWD_TAG;
}

enum { READERS_MOST_SLOTS = 1020 };

struct readers {
    uint32_t free_link; /* base/arena.h */
    uint32_t generation;
    uint32_t older;   /* the shorter vector that this one continues, or 0 */
    uint32_t before;  /* an epoch or a set: who had read the word when it got the vector */
    uint32_t entry[]; /* as many as its class has room for; each written by its own thread only */
};

/* Lengths, so that most vectors are whole cache lines. */
enum { READERS_CLASSES = 5, READERS_CLASS_SHIFT = 27, READERS_INDEX_MASK = (1 << READERS_CLASS_SHIFT) - 1 };
_Static_assert(READERS_CLASSES <= 7, "a class fits between the tags and the index, and no half is NOT_NARROW");
extern HIDDEN const uint32_t readers_room[READERS_CLASSES];
extern HIDDEN struct slab readers_slabs[READERS_CLASSES];

hot_inline unsigned readers_class(uint32_t reads)
{
    return (reads & ~CROWD_TAG) >> READERS_CLASS_SHIFT;
}

hot_inline struct readers *readers_at(uint32_t reads)
{
    return slab_at(&readers_slabs[readers_class(reads)], reads & READERS_INDEX_MASK);
}

/* The word was `seen` and names a vector: has the thread read it in this epoch? If so, that is noted, and so is any
 * conflict: the vector is given back when the word is written, and then the entry is not this epoch any more. */
hot_inline bool readers_known(uint64_t seen, uint32_t now)
{
    uint32_t reads = read_half(seen), slot = half_slot(now);
    return likely(slot < readers_room[readers_class(reads)]) && load_acquire(&readers_at(reads)->entry[slot]) == now;
}

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

/* For a vector that was taken away from its word, or never belonged to one: */

/* An epoch in it that does not happen before the clock, or 0. */
HIDDEN uint32_t readers_first_unordered(uint32_t reads, const uint32_t *clock);
HIDDEN uint32_t readers_intern(uint32_t reads); /* the same readers as an epoch or a set */
HIDDEN void readers_free(uint32_t reads);

/* How many vectors are in use. */
HIDDEN uint32_t readers_live(void);
