/* Has the thread accessed these bytes in this epoch already? Then there is nothing to do ([READ SAME EPOCH],
 * [WRITE SAME EPOCH]), whatever their size and wherever they begin.
 *
 * A look without announcement or lock, as at the entry points (runtime/abi_access.c): what says "mine in this
 * epoch" can change to something else only by an access of another thread that races with mine, and that
 * access finds the race. Cells of a record say so only if the record is the word's all the time
 * (shadow/record.h), those of a page if the page is the chunk's and the word is PAGED (shadow/byte_page.h). A
 * vector's entry says so of the word that names the vector (shadow/readers.h): all entries are overwritten
 * before another word gets it.
 */
#pragma once

#include <emmintrin.h>

#include "shadow/readers.h"
#include "shadow/record.h"

hot_inline bool same_epoch_cells(const struct record *record, const uint64_t *word, unsigned from,
                                 unsigned to, enum access_kind kind, uint32_t now)
{
    uint32_t seq = load_acquire(&record->seq);
    bool same = (seq & 1) == 0 && load_relaxed(&record->word) == word;
    uint32_t readers = kind == PLAIN_READ ? load_relaxed(&record->readers) : 0;
    const struct byte_row *mine = unlikely(readers != 0) ? byte_readers_row(readers, now) : NULL;
    for (unsigned i = from; i < to; i++)
        same &= load_relaxed(&record->cell[i].w) == now ||
                (kind == PLAIN_READ && (load_relaxed(&record->cell[i].r) == now ||
                                        (mine != NULL && load_relaxed(&mine->read[i]) == now)));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return same && load_relaxed(&record->seq) == seq;
}

hot_inline bool same_epoch_alone(uint64_t state, enum access_kind kind, uint32_t now)
{
    return write_half(state) == now || (kind == PLAIN_READ && read_half(state) == now);
}

/* Of a word that was `seen`, and is PAGED. */
hot_inline bool same_epoch_bytes(const uint64_t *word, uint64_t seen, unsigned from, unsigned to,
                                 enum access_kind kind, uint32_t now)
{
    uint64_t *page = byte_page_of(shadow_chunk(word));
    if (kind == PLAIN_READ && likely(read_half(seen) == now))
        return true;
    if (unlikely(page == NULL))
        return false;
    const uint64_t *cell = byte_page_cells(page, word);
    bool same = true;
    for (unsigned i = from; i < to; i++)
        same &= same_epoch_alone(load_relaxed(&cell[i]), kind, now);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return same && likely(word_paged(load_relaxed(word))) && likely(byte_page_of(shadow_chunk(word)) == page);
}

/* Bytes [from, to) of the word. */
hot_inline bool same_epoch_in_word(const uint64_t *word, unsigned from, unsigned to, enum access_kind kind,
                                   uint32_t now)
{
    uint64_t seen = load_acquire(word);
    if (unlikely(word_expanded(seen)))
        return word_paged(seen) ? same_epoch_bytes(word, seen, from, to, kind, now)
                                : same_epoch_cells(record_at(seen), word, from, to, kind, now);
    if (kind == PLAIN_READ && unlikely(is_readers(read_half(seen)))) {
        const uint32_t *row = vector_row_of(now);
        return write_half(seen) == now || (row != NULL && readers_known(seen, row, now));
    }
    return same_epoch_alone(seen, kind, now);
}

hot_inline bool same_epoch(uintptr_t address, size_t size, enum access_kind kind, uint32_t now)
{
    uintptr_t end = address + size;
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4) {
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        if (!same_epoch_in_word(shadow_of(base), from, to, kind, now))
            return false;
    }
    return true;
}

/* How many words at the beginning say so themselves, without those that have a record; a few less at times.
 */
hot_inline size_t same_epoch_words(const uint64_t *word, size_t count, enum access_kind kind, uint32_t now)
{
    const __m128i mine = _mm_set1_epi32((int)now),
                  writes = _mm_set1_epi64x(kind == PLAIN_WRITE ? INT64_C(0xffffffff) : -1);
    size_t done = 0;
    for (; done + 4 <= count; done += 4) {
        __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(word + done)), mine);
        __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(word + done + 2)), mine);
        low = _mm_and_si128(low, writes);
        high = _mm_and_si128(high, writes);
        low = _mm_or_si128(low, _mm_shuffle_epi32(low, _MM_SHUFFLE(2, 3, 0, 1)));
        high = _mm_or_si128(high, _mm_shuffle_epi32(high, _MM_SHUFFLE(2, 3, 0, 1)));
        if (_mm_movemask_epi8(_mm_and_si128(low, high)) != 0xffff)
            break;
    }
    return done;
}
