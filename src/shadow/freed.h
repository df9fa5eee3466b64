/* When memory was given back: what free() says of the words that are empty.
 *
 * free() is a write to its whole block, and most words of a block are empty then: the program has touched a few since
 * malloc() emptied them. Writing the epoch into each costs a compare-and-swap for every one or two. Instead 8 bytes of
 * the program, a pair of words, have one entry of 32 bits:
 *
 *   0                  an empty word says what it always does: never accessed
 *   an epoch E         an empty word says: last written in E, by the free()
 *   tagged, a number   a block begins here, which has that page in the heap's book (runtime/heap.h); otherwise as 0
 *   two tags, a size   the same block's, in its second pair
 *
 * Words that are not empty need no entry. free() empties those that it finds used, after comparing itself with what they
 * say. An access to freed memory puts E into the word first; it is an error of the program, race or not, and
 * only the slow path knows how to do it. malloc() takes the entries away again, and nobody else does.
 *
 * Entries are written with plain stores: those of a block by the thread that frees it or was given it: one at a
 * time. An access may meet a free():
 *
 *   access                                     free
 *   empty word, no entry: works out its step   entry := E
 *   word: empty -> new, by compare-and-swap    fence
 *   still no entry?  done : races with free    looks at the words
 *
 * A compare-and-swap is a fence: one of the two sees the other. proof/freed.pml is this as a model.
 *
 * An entry that is older than what its words say does no harm when one of them becomes empty again (shadow/sweep.h): the
 * memory has not been given out since, so whatever is unordered with that free() races with it.
 */
#pragma once

#include "base/atomic.h"
#include "clock/narrow.h"
#include "shadow/chunks.h"

#define FREED_BLOCK NARROW_TAG
#define FREED_SIZE  (NARROW_TAG | NARROW_TAG >> 1)

hot_inline bool freed_is_block(uint32_t entry)
{
    return (entry & FREED_SIZE) == FREED_BLOCK;
}

hot_inline bool freed_is_size(uint32_t entry)
{
    return (entry & FREED_SIZE) == FREED_SIZE;
}

/* Chunks in which a word that is not empty may be in a pair that has an entry: freed memory was accessed there, or its
 * words were not to be emptied. Found by a part of the chunk's number; once marked, always marked. In all other chunks,
 * pairs that have an entry are known to be empty: malloc() need not look. An access to freed memory marks first; one
 * that met the free() does so a moment later, and in between the memory may be given out again: one more case of an access
 * that comes at that very moment (docs/live.md). */
enum { FREED_MARKS = 1 << 14 };
extern HIDDEN bool freed_marks[FREED_MARKS];

hot_inline bool *freed_mark_of(const uint64_t *word)
{
    return &freed_marks[(((uintptr_t)word - shadow_base) >> (CHUNK_BITS + 1)) % FREED_MARKS];
}

hot_inline void freed_mark(const uint64_t *word)
{
    store_relaxed(freed_mark_of(word), true);
}

/* Of the pair that the word belongs to. */
hot_inline uint32_t *freed_of(const uint64_t *word)
{
    return (uint32_t *)(freed_base + (((uintptr_t)word - shadow_base) / 16) * sizeof(uint32_t));
}

/* 0: it was not, or it was given out since. */
hot_inline uint32_t freed_when(const uint64_t *word)
{
    uint32_t entry = load_acquire(freed_of(word));
    return likely(entry == 0 || entry & NARROW_TAG) ? 0 : entry;
}

/* What the word, which was `seen`, says. */
hot_inline uint64_t word_state(const uint64_t *word, uint64_t seen)
{
    return likely(seen != 0) ? seen : freed_when(word);
}

/* The word is empty: has its pair an entry? */
hot_inline bool freed_any(const uint64_t *word)
{
    return unlikely(chunk_has_freed(shadow_chunk(word))) && freed_when(word) != 0;
}

/* If the word is empty, and its pair has an entry, it says so itself from now on. */
HIDDEN void freed_spell_out(uint64_t *word);
