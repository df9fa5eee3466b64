/* Chunks whose words are all alike: one word stands for all of them.
 *
 * Large memory is mostly accessed as a whole: a loop over an array, of which the check was moved out of the
 * loop, memcpy(), read(). Whoever accesses a whole chunk of its own, and would write the same into all its
 * words, writes it down once instead (001 §3.4 does so with arrays). From then on the chunk is nobody's: it
 * is UNIFORM (shadow/owner.h), and its words say nothing; they need not even be there. Who accesses all of
 * it changes the one word:
 *
 *   whole access                               any other
 *   owner[chunk]: UNIFORM -> MOVING            owner[chunk]: UNIFORM -> MOVING
 *   uniform_word[chunk] := the next step       all words of the chunk := uniform_word[chunk]
 *   owner[chunk] := UNIFORM                    owner[chunk] := a lease that nobody holds
 *
 * What words of the chunk say meanwhile is old, but does no harm to who looks at them without asking whose
 * the chunk is: that is the same-epoch test. An old word that holds the thread's present epoch says that the
 * thread did access it in this epoch, and whoever did something since that is unordered with that has found
 * the race.
 *
 * A chunk is spelled out again when a part of it is accessed, when a step is a race or makes a set of readers
 * that had better be a vector, and where it would be neither the one nor the other for long (`vain`).
 * proof/uniform.pml is this as a model.
 */
#pragma once

#include "shadow/owner.h"
#include "shadow/word.h"

enum { UNIFORM_WORDS = (1 << OWNER_CHUNK_BITS) / 4 };

HIDDEN void uniform_init(void);

hot_inline bool uniform_is(uint32_t chunk)
{
    return unlikely(load_acquire(&owner_table[chunk]) == OWNER_UNIFORM);
}

/* An access to the whole chunk, if that is uniform, or nobody's. False: go another way. */
HIDDEN bool uniform_step(uint32_t chunk, enum access_kind kind, struct actor *t, uint32_t *changed);

/* An access to the whole chunk, which is the thread's own and was entered. True: it is made, and the chunk is
 * uniform. */
HIDDEN bool uniform_begin(uint32_t chunk, enum access_kind kind, struct actor *t, uint32_t *changed);

/* If it is uniform, its words say so themselves from now on. */
HIDDEN void uniform_end(uint32_t chunk);

/* The same for memory that is new: whoever calls empties the words next. */
HIDDEN void uniform_drop(uintptr_t address, size_t size);

/* While the world is stopped: the word that stands for all; the others are emptied. */
HIDDEN uint64_t *uniform_stopped(uint32_t chunk);

/* Is a write to the whole chunk, if that is uniform, ordered after all that was done there? */
HIDDEN bool uniform_write_follows(uint32_t chunk, struct actor *t);

/* Does the thread have something waiting to be checked in the chunk, which is its own? Set by the runtime.
 * NULL: nothing ever waits. */
extern HIDDEN bool (*uniform_waits)(struct owner_view *view, uint32_t chunk);

/* For tests: how often whole chunks were accessed as one word. */
HIDDEN uint32_t uniform_count(void);
