/* Uniform blocks: one state for all words of a block, where accesses to whole blocks found them all alike.
 *
 * uniform[block] is
 *
 *   0         the words say it themselves; none is UNIFORM
 *   BUSY      one thread is changing the block's form, or replacing the state (shadow/state.h). Words may be either
 *   a state   of all its words, which are UNIFORM. Not empty: when memory was freed, words say (shadow/freed.h)
 *
 *   make (words in `seen`)                          break up
 *   uniform: 0 -> BUSY, by compare-and-swap         uniform: state -> BUSY, by compare-and-swap
 *   each pair: seen -> UNIFORM, by c.-and-swap      all words := the state
 *   uniform := the state after the access           uniform := 0
 *
 *   If a pair has changed meanwhile, the words that are done get the state after the access, and uniform := 0.
 *
 * An access to a whole block that is uniform is one step on uniform[block], as if that were a word. Every other access
 * finds a word UNIFORM, which is not plain, in the slow path, and breaks the block up first.
 *
 * Invariants:
 *   1. A word that is UNIFORM is changed only by who made uniform[block] BUSY: plain stores are enough there.
 *   2. A word that is not says all of itself, whatever uniform[block] is. So a compare-and-swap that succeeds was right.
 *   3. Who finds BUSY waits: who made it so is in the slow path and waits for nobody.
 *
 * shadow_clear() empties words without asking. It breaks up first, and looks again when they are empty:
 *
 *   clear                                           make
 *   words := 0                                      uniform: 0 -> BUSY
 *   fence                                           each pair: seen -> UNIFORM
 *   uniform = 0?  done : break up, again            fails if a word is empty by now
 *
 * proof/uniform.pml is this as a model.
 */
#pragma once

#include "shadow/chunks.h"
#include "shadow/state.h"

#ifndef UNIFORM_BITS
#define UNIFORM_BITS 8
#endif

/* In place of W, of a word: next to those of shadow/bytes.h. */
#define UNIFORM (VECTOR_TAG | 3)

enum { UNIFORM_BYTES = 1 << UNIFORM_BITS, UNIFORM_WORDS = UNIFORM_BYTES / 4 };
_Static_assert(UNIFORM_BITS >= 4 && UNIFORM_BITS <= CHUNK_BITS, "sweeps go by chunks");

extern HIDDEN uint64_t *uniform_table; /* by block */

hot_inline bool word_uniform(uint64_t word)
{
    return word == UNIFORM;
}

hot_inline uint64_t *uniform_of(const uint64_t *word)
{
    return &uniform_table[((uintptr_t)word - shadow_base) / (UNIFORM_WORDS * sizeof *word)];
}

/* Is it the first of its block? */
hot_inline bool uniform_begins(const uint64_t *word)
{
    return (uintptr_t)word % (UNIFORM_WORDS * sizeof *word) == 0;
}

/* The state of the block, of which a word was found UNIFORM. 0: it is changing; look at the word again. */
hot_inline uint64_t uniform_state(const uint64_t *word)
{
    uint64_t state = load_acquire(uniform_of(word));
    return likely(state != BUSY) ? state : 0;
}

/* The word was `seen`: where its plain state is, if it has one. *seen: that state, or BUSY while it moves. */
hot_inline const uint64_t *uniform_where(const uint64_t *word, uint64_t *seen)
{
    if (likely(!word_uniform(*seen)))
        return word;
    word = uniform_of(word);
    *seen = load_acquire(word);
    if (unlikely(*seen == 0))
        *seen = BUSY;
    return word;
}

HIDDEN void uniform_init(void);

/* A plain access to all of the block. False: not as one; its words are to be looked at. */
HIDDEN bool uniform_access(uint64_t *block, enum access_kind kind, struct actor *t, uint32_t *changed);

/* The word was found UNIFORM: look at it again. Its block is broken up, unless somebody else was faster. */
HIDDEN void uniform_break(uint64_t *word);

/* All words of the block, whose state was `seen`, are empty. False: it has another state by now. */
HIDDEN bool uniform_empty(uint64_t *block, uint64_t seen);

/* Breaks up what is uniform among these words. Returns whether anything was. */
HIDDEN bool uniform_break_all(uint64_t *from, uint64_t *to);

/* How often one was broken up: for tests. */
HIDDEN uint32_t uniform_count(void);
