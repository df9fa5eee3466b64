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
 *   busy := none                               puts all notes into the words
 *                                              owner[chunk] := SHARED, or its own by a lease
 *
 * That is the protocol of shadow/owner.h, with several owners who only read. A reader without a page does
 * nothing in the chunk, and gets one only under the lock, while the chunk is frozen: so those in the list are
 * all.
 *
 * Parts of words. Text is read by bytes, or 4 and 8 bytes at a time from anywhere. A thread that does so has,
 * for that chunk, one more epoch for each byte. Whole words are noted as such all the same: of a byte's two
 * notes the later counts.
 *
 * A note that is not 0 says more: the thread has compared itself with the last write once, which is still the
 * last one, and its clock only grows. So a read that was noted before, in whatever epoch, does not look at
 * the shadow.
 *
 * Words with a record: nobody changes its plain parts either, since whoever does so asks for the chunk.
 * Atomic operations may change a record's crowd without asking (shadow/atomic.h): where there is one, or an
 * atomic write, nothing is noted.
 *
 * Pages are 4 KiB for each thread and chunk, and 16 KiB for its bytes. They are limited; when there are no
 * more, the chunk is thawed.
 */
#pragma once

#include <emmintrin.h>

#include "base/arena.h"
#include "shadow/byte_page.h"
#include "shadow/cell.h"
#include "shadow/freed.h"

enum { CHUNK_WORDS = CHUNK_BYTES / 4 };

/* They are emptied, and looked at, by parts: most readers of text come to a few of them only, and what is looked at
 * before it is first written is two page faults (shadow/owner.c). */
enum { NOTES_PART = CHUNK_BYTES / 4 };

struct byte_notes {
    uint32_t read[CHUNK_BYTES]; /* a part is a page */
    struct byte_notes *next_free;
} __attribute__((aligned(4096)));

struct notes {
    uint32_t free_link; /* base/arena.h */
    uint32_t reader;    /* owner_view.mine; 0: it is nobody's */
    uint32_t chunk;
    uint32_t next;            /* of the same chunk */
    struct byte_notes *bytes; /* NULL: its reader has read whole words only. It is made under the lock */
    uint32_t parts; /* of the bytes: those that say something. Its reader makes them, in the chunk */
    uint32_t read[CHUNK_WORDS];
};

/* Those that these bytes are in, one bit each. */
hot_inline uint32_t notes_parts(size_t byte, size_t size)
{
    return (2u << (byte + size - 1) / NOTES_PART) - (1u << byte / NOTES_PART);
}

hot_inline bool notes_have(const struct notes *n, uint32_t parts)
{
    return (load_relaxed(&n->parts) & parts) == parts;
}

hot_inline bool notes_are(const struct notes *n, const struct actor *t, uint32_t chunk)
{
    return n->chunk == chunk && n->reader == t->owner.mine;
}

/* The thread's page, if it is the last one that it used in such a chunk. A page may have become another's
 * meanwhile, but says then so: pages stay readable. */
hot_inline struct notes *frozen_notes(const struct actor *t, uint32_t chunk)
{
    struct notes *n = t->notes[chunk % NOTES_KNOWN];
    return n != NULL && likely(notes_are(n, t, chunk)) ? n : NULL;
}

/* Are all these notes of this epoch? */
hot_inline bool notes_all_now(const uint32_t *note, size_t count, uint32_t now)
{
    __m128i same = _mm_set1_epi32(-1), all = _mm_set1_epi32((int)now);
    uint32_t others = 0;
    for (; count >= 4; count -= 4, note += 4)
        same = _mm_and_si128(same, _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)note), all));
    for (; count > 0; count--, note++)
        others |= *note ^ now;
    return others == 0 && _mm_movemask_epi8(same) == 0xffff;
}

/* Has the thread read these words in this epoch, as far as that page says? Asked without being in the chunk:
 * nobody else notes this epoch, and what it notes itself is true until the epoch is over or the memory is
 * new. */
hot_inline bool frozen_noted(const struct actor *t, uintptr_t address, size_t count)
{
    const struct notes *n = frozen_notes(t, owner_chunk(address));
    size_t word = address / 4 % CHUNK_WORDS;
    return n != NULL && word + count <= CHUNK_WORDS && notes_all_now(&n->read[word], count, t->now);
}

/* The same of bytes. */
hot_inline bool frozen_bytes_noted(const struct actor *t, uintptr_t address, size_t size)
{
    const struct notes *n = frozen_notes(t, owner_chunk(address));
    const struct byte_notes *bytes = n != NULL ? load_acquire(&n->bytes) : NULL;
    size_t byte = address % CHUNK_BYTES;
    return bytes != NULL && byte + size <= CHUNK_BYTES && likely(notes_have(n, notes_parts(byte, size))) &&
           notes_all_now(&bytes->read[byte], size, t->now);
}

/* Finds or makes it; with `bytes`, if that is so. NULL: the chunk is no longer frozen, or there are no pages
 * left: go another way. */
HIDDEN struct notes *frozen_notes_slow(struct actor *t, uint32_t chunk, bool bytes);

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

/* The same of the bytes [from, to) of a word that has a record, or is PAGED. */
HIDDEN bool frozen_cells_ordered(const uint64_t *word, unsigned from, unsigned to, const struct actor *t);

/* The same of any word. */
hot_inline bool frozen_word_ordered(const uint64_t *word, unsigned from, unsigned to, const struct actor *t)
{
    uint32_t w = write_half(load_relaxed(word));
    if (unlikely(w & NARROW_TAG))
        return frozen_cells_ordered(word, from, to, t);
    return frozen_ordered(w, t) && !(w == 0 && freed_any(word, 1));
}

/* Reads of whole words in the frozen chunk that was entered. Returns how many are done; *changed is not 0 if
 * one was noted. The others have an atomic part, were freed, or race. */
hot_inline size_t frozen_read(struct notes *n, uintptr_t address, size_t count, const struct actor *t,
                              uint32_t *changed)
{
    const uint64_t *word = shadow_of(address);
    uint32_t *mine = &n->read[(address / 4) % CHUNK_WORDS], now = t->now;
    size_t done = 0;
    for (; __builtin_constant_p(count) && done + 2 <= count; done += 2) { /* most were written together */
        if (mine[done] == now && mine[done + 1] == now)
            continue;
        if (mine[done] == 0 || mine[done + 1] == 0) {
            uint32_t w = write_half(load_relaxed(word + done));
            if (unlikely(write_half(load_relaxed(word + done + 1)) != w) || !frozen_ordered(w, t) ||
                (w == 0 && freed_any(word + done, 2)))
                break;
        }
        mine[done] = mine[done + 1] = now;
        *changed = 1;
    }
    for (; done < count; done++) {
        if (mine[done] == now)
            continue;
        if (mine[done] == 0 && !frozen_word_ordered(word + done, 0, 4, t))
            break;
        mine[done] = now;
        *changed = 1;
    }
    return done;
}

/* Makes these, in the chunk that was entered. */
HIDDEN void frozen_make_parts(struct notes *n, uint32_t parts);

/* Bytes that the thread has not noted yet, or not all of them. */
HIDDEN bool frozen_bytes_ordered(uintptr_t address, size_t size, const struct actor *t);

/* A read of some bytes of that chunk. False: not here, and nothing was noted. */
hot_inline bool frozen_read_bytes(struct notes *n, uintptr_t address, size_t size, const struct actor *t,
                                  uint32_t *changed)
{
    uint32_t *mine = &n->bytes->read[address % CHUNK_BYTES], now = t->now;
    uint32_t parts = notes_parts(address % CHUNK_BYTES, size);
    bool known = true;
    if (unlikely(!notes_have(n, parts)))
        frozen_make_parts(n, parts);
    if (notes_all_now(mine, size, now))
        return true;
    for (size_t i = 0; i < size; i++)
        known &= mine[i] != 0;
    if (unlikely(!known) && !frozen_bytes_ordered(address, size, t))
        return false;
    for (size_t i = 0; i < size; i++)
        mine[i] = now;
    *changed = 1;
    return true;
}

/* The thread has read, in a chunk of its own, a byte that others read as well and unordered. If it does not
 * write there, each of them had better take notes. */
hot_inline void frozen_had_better(uint32_t chunk, struct actor *t)
{
    if (likely(!owner_wrote(chunk)))
        t->shall_share = (uintptr_t)chunk << OWNER_CHUNK_BITS;
}

/* These are for shadow/owner.c. */

/* Do frozen chunks pay? Each that somebody wants to change has cost a second membarrier and the collecting of
 * its notes; after some of those that had few notes, only a part of all requests is granted, until it is none
 * of the last ones that were. */
HIDDEN bool frozen_pays(void);

/* The chunk has no owner at the moment. */
HIDDEN void frozen_begin(uint32_t chunk);

/* It was frozen, unless the answer says otherwise, and is MOVING now. stopped: so is the world. */
enum thawing { WAS_NOT_FROZEN, FROZEN_IN_VAIN, FROZEN_WITH_PROFIT };
HIDDEN enum thawing frozen_end(uint32_t chunk, bool stopped);

/* How many words were found read in parts by somebody, about. For tests. */
HIDDEN uint32_t frozen_parts_count(void);
