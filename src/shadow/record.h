/* Expanded locations: what does not fit a shadow word.
 *
 * A word whose low half is tagged holds the index of a record: one cell per byte, for bytes that differ and
 * for atomics; and the sync object that lives at the address, if one does (a mutex, an atomic variable ...).
 *
 * Protocol. A record belongs to the word that holds its index. It is read and changed only under its lock,
 * and only after looking, with the lock held, that the word still holds the index (record_lock does both):
 * the word lets go of a record only under that lock, so a record that was freed and used for another address
 * is never mistaken for the old one. shadow_clear() takes words away without asking; such records are found by
 * looking at their words (shadow/sweep.h).
 *
 * Fold: a record without sync object, without atomic parts and with four equal cells is what a word can say;
 * record_unlock() puts it back into the word and frees the record.
 *
 * The lock is a bit of `seq`, and unlocking moves the rest of it on. Whoever looks without the lock believes
 * what it saw only if the lock was free and `seq` is the same afterwards (shadow/atomic.h). A lock that was
 * taken in vain gives `seq` back as it was.
 *
 * Pairs. Most atomic variables have 8 bytes, all in one state. Then the record of the first word LEADS: what
 * its first cell says holds for both words; in its other cells and in the other record, which FOLLOWS, only
 * plain parts are right. Only atomic accesses of just these 8 bytes see a pair; whoever locks either record
 * otherwise has it separated first (record_lock(), record_settle()). Locks of a pair are taken first word
 * first.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "shadow/bytes.h"

struct sync; /* runtime/sync.h */

/* What an atomic access of a pair needs, or the use of a lock, comes first: 32 bytes, in one line of the cache
 * however many records lie before it. */
struct record {
    uint16_t special; /* crowds that its cells have (shadow/crowd.h), LEADS, FOLLOWS */
    uint16_t unused;  /* both, while the record is free: base/arena.h's link */
    uint32_t seq;     /* odd: locked */
    struct sync *sync;
    struct cell cell[4];
    uint64_t *word; /* NULL while nobody has it */
    uint32_t index;
    uint32_t reserved;
};
_Static_assert(offsetof(struct record, cell[1]) == 32 && sizeof(struct record) % 32 == 0, "as said");

enum { LEADS = 1 << 8, FOLLOWS = 1 << 9 };

/* Is it not plain? */
hot_inline bool word_expanded(uint64_t word)
{
    return (write_half(word) & NARROW_TAG) != 0;
}

hot_inline bool word_recorded(uint64_t word)
{
    return (write_half(word) & VECTOR_TAG) == NARROW_TAG;
}

extern HIDDEN struct slab record_slab;

/* The record that the word names. */
hot_inline struct record *record_at(uint64_t word)
{
    uint32_t index = write_half(word) & ~NARROW_TAG;
    char *chunk = load_acquire(&load_acquire(&record_slab.chunk)[index >> SLAB_CHUNK_BITS]);
    return (struct record *)chunk + (index & ((1u << SLAB_CHUNK_BITS) - 1));
}

/* Without the lock: the record that the word names now, or NULL. */
hot_inline const struct record *record_peek(const uint64_t *word)
{
    uint64_t seen = load_acquire(word);
    return likely(word_recorded(seen)) ? record_at(seen) : NULL;
}

/* The lock alone, whosever the record is. Taking it is a full fence. */

HIDDEN void record_wait(struct record *record);

hot_inline void record_hold(struct record *record)
{
    if (unlikely(__atomic_fetch_or(&record->seq, 1, __ATOMIC_SEQ_CST) & 1))
        record_wait(record);
}

hot_inline void record_release(struct record *record)
{
    store_release(&record->seq, record->seq + 1);
}

/* Nothing has changed of what others may see without the lock. */
hot_inline void record_release_same(struct record *record)
{
    store_release(&record->seq, record->seq - 1);
}

/* The common case of the next two: the word has a record, which is by itself. NULL: ask them. */
hot_inline struct record *record_lock_quick(uint64_t *word)
{
    uint64_t seen = load_acquire(word);
    if (unlikely(!word_recorded(seen)))
        return NULL;
    struct record *r = record_at(seen);
    record_hold(r);
    if (likely(load_relaxed(word) == seen && !(r->special & FOLLOWS)))
        return r;
    record_release_same(r);
    return NULL;
}

/* The record of the word, locked; made from the word's state, or its bytes', when there is none. */
HIDDEN struct record *record_lock(uint64_t *word);

/* The same, or NULL when the word has no record. */
HIDDEN struct record *record_lock_existing(uint64_t *word);

/* The same without a look at pairs, for who touches plain parts only. */
HIDDEN struct record *record_hold_of(uint64_t *word);

HIDDEN void record_unlock(struct record *record);

/* The word has let go of the record: it is for others to use. (While the world is stopped.) */
HIDDEN void record_give(struct record *record);

/* The first cell of a leader speaks for all: they say the same. */
static inline void record_spread(struct record *record)
{
    for (int i = 1; record->special & LEADS && i < 4; i++)
        record->cell[i] = record->cell[0];
}

/* Its crowds become sets. It is locked, and does not follow. */
HIDDEN void record_dissolve_crowds(struct record *record);

/* Makes the record an ordinary one, by itself and without crowds. It is locked. */
HIDDEN void record_settle(struct record *record);

/* The words on both sides of this one's beginning are no longer a pair. */
HIDDEN void record_separate(uint64_t *second);

/* How many records are in use. */
HIDDEN uint32_t record_live(void);
