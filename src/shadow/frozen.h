/* Chunks that several threads read and nobody writes: their words do not change ("frozen").
 *
 * A read must leave a trace for a later write to find. Where all threads read the same table, they would
 * leave it in the same words, each with a compare-and-swap. Instead each thread notes its reads of such a
 * chunk in a page of its own: one epoch for each word, a plain store. The words stay as they were when the
 * chunk was frozen; a read compares itself with the last write in them, as always.
 *
 *   reader                                     whoever wants to change a word ("thaws" the chunk)
 *   busy := chunk                              owner[chunk] := MOVING, under the lock of all lists of pages
 *   (no fence)                                 membarrier: every running thread executes a full fence
 *   owner[chunk] = FROZEN?  note : go slow     waits until no reader that has a page is busy in the chunk
 *   busy := none                               puts all notes into the words; owner[chunk] := SHARED
 *
 * That is the protocol of shadow/owner.h, with several owners who only read. A reader without a page does
 * nothing in the chunk, and gets one only under the lock, while the chunk is frozen: so those in the list are
 * all.
 *
 * A page is 4 KiB for each thread and chunk. They are limited; when there are no more, the chunk is thawed.
 */
#pragma once

#include "base/arena.h"
#include "shadow/cell.h"
#include "shadow/freed.h"

enum { CHUNK_WORDS = (1 << OWNER_CHUNK_BITS) / 4 };

struct notes {
    uint32_t free_link; /* base/arena.h */
    uint32_t reader;    /* owner_view.mine; 0: it is nobody's */
    uint32_t chunk;
    uint32_t next; /* of the same chunk */
    uint32_t read[CHUNK_WORDS];
};

/* The thread's page, if it is the last one that it used in such a chunk. A page may have become another's
 * meanwhile, but says then so: pages stay readable. */
hot_inline struct notes *frozen_notes(const struct actor *t, uint32_t chunk)
{
    struct notes *n = t->notes[chunk % NOTES_KNOWN];
    return n != NULL && likely(n->chunk == chunk && n->reader == t->owner.mine) ? n : NULL;
}

/* Has the thread read these words in this epoch, as far as that page says? Asked without being in the chunk: nobody else
 * notes this epoch, and what it notes itself is true until the epoch is over or the memory is new. */
hot_inline bool frozen_noted(const struct actor *t, uintptr_t address, size_t count)
{
    const struct notes *n = frozen_notes(t, owner_chunk(address));
    size_t word = address / 4 % CHUNK_WORDS;
    bool noted = n != NULL && word + count <= CHUNK_WORDS;
    for (size_t i = 0; noted && i < count; i++)
        noted = n->read[word + i] == t->now;
    return noted;
}

/* Finds or makes it. NULL: the chunk is no longer frozen, or there are no pages left: go another way. */
HIDDEN struct notes *frozen_notes_slow(struct actor *t, uint32_t chunk);

/* True: the chunk is frozen and stays so until owner_leave. */
hot_inline bool frozen_enter(struct owner_view *view, uint32_t chunk)
{
    store_relaxed(&view->busy, (uint64_t)chunk + 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (likely(load_relaxed(&owner_table[chunk]) == OWNER_FROZEN))
        return true;
    store_relaxed(&view->busy, 0);
    return false;
}

/* May the thread read a word with this last write, and be done? */
hot_inline bool frozen_ordered(uint32_t w, const struct actor *t)
{
    return likely(!(w & NARROW_TAG)) && likely(half_before(w, t->clock));
}

/* Reads of whole words in the frozen chunk that was entered. Returns how many are done; *changed is not 0 if
 * one was noted. The others are expanded, freed, or race. */
hot_inline size_t frozen_read(struct notes *n, uintptr_t address, size_t count, const struct actor *t,
                              uint32_t *changed)
{
    const uint64_t *word = shadow_of(address);
    uint32_t *mine = &n->read[(address / 4) % CHUNK_WORDS], now = t->now;
    size_t done = 0;
    for (; __builtin_constant_p(count) && done + 2 <= count; done += 2) { /* most were written together */
        uint32_t w = write_half(load_relaxed(word + done));
        if (mine[done] == now && mine[done + 1] == now)
            continue;
        if (unlikely(write_half(load_relaxed(word + done + 1)) != w) || !frozen_ordered(w, t))
            break;
        if (w == 0 && freed_any(word + done, 2))
            break;
        mine[done] = mine[done + 1] = now;
        *changed = 1;
    }
    for (; done < count; done++) {
        if (mine[done] == now)
            continue;
        uint32_t w = write_half(load_relaxed(word + done));
        if (!frozen_ordered(w, t) || (w == 0 && freed_any(word + done, 1)))
            break;
        mine[done] = now;
        *changed = 1;
    }
    return done;
}

/* These are for shadow/owner.c. */

/* Do frozen chunks stay so? Each that somebody wants to change, soon or late, has cost a second membarrier
 * and the collecting of its notes; after some of those, only a part of all requests is granted, until it is
 * none of the last ones that were. */
HIDDEN bool frozen_pays(void);

/* The chunk has no owner at the moment. */
HIDDEN void frozen_begin(uint32_t chunk);

/* False: the chunk is not frozen. Otherwise it was, and is MOVING now. stopped: so is the world. */
HIDDEN bool frozen_end(uint32_t chunk, bool stopped);
