/* Has the thread accessed these bytes in this epoch already? Then there is nothing to do ([READ SAME EPOCH],
 * [WRITE SAME EPOCH]), whatever their size and wherever they begin.
 *
 * A look without gate or lock: what says "mine in this epoch" can change to something else only by an access
 * of another thread that races with mine, and that access finds the race. Cells of a record say so only if the
 * record is the word's all the time (shadow/record.h).
 */
#pragma once

#include <emmintrin.h>

#include "shadow/mixed.h"
#include "shadow/record.h"
#include "shadow/uniform.h"

hot_inline bool same_epoch_cells(const struct record *record, const uint64_t *word, unsigned from,
                                 unsigned to, enum access_kind kind, uint32_t now)
{
    uint32_t seq = load_acquire(&record->seq);
    bool same = (seq & 1) == 0 && load_relaxed(&record->word) == word;
    for (unsigned i = from; i < to; i++)
        same &= load_relaxed(&record->cell[i].w) == now ||
                (kind == PLAIN_READ && load_relaxed(&record->cell[i].r) == now);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return same && load_relaxed(&record->seq) == seq;
}

/* The word was `seen`, which is PAGED. Cells say so only if they are the word's all the time (shadow/bytes.h). */
hot_inline bool same_epoch_bytes(const uint64_t *word, uint64_t seen, unsigned from, unsigned to,
                                 enum access_kind kind, uint32_t now)
{
    const uint64_t *cell = byte_cells(seen);
    bool same = true;
    for (unsigned i = from; same && i < to; i++)
        same = state_same_epoch_shared(load_acquire(&cell[i]), kind, now);
    return same && likely(load_relaxed(word) == seen);
}

/* Bytes [from, to) of the word. */
hot_inline bool same_epoch_in_word(const uint64_t *word, unsigned from, unsigned to, enum access_kind kind,
                                   uint32_t now)
{
    uint64_t seen = load_acquire(word);
    if (unlikely(word_recorded(seen)))
        return same_epoch_cells(record_at(seen), word, from, to, kind, now);
    if (unlikely(word_paged(seen)))
        return same_epoch_bytes(word, seen, from, to, kind, now);
    if (unlikely(word_mixed(seen)))
        return mixed_same_epoch(pair_of(word), mixed_bytes(word, from, to), kind, now);
    if (unlikely(word_uniform(seen)))
        seen = uniform_state(word);
    return state_same_epoch_shared(seen, kind, now);
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

/* How many words at the beginning say so themselves, a multiple of four. */
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

/* The same where whole blocks may say so (shadow/uniform.h). */
hot_inline size_t same_epoch_blocks(const uint64_t *word, size_t count, enum access_kind kind, uint32_t now)
{
    size_t done = 0, more;
    do {
        while (count - done >= UNIFORM_WORDS && uniform_begins(word + done) &&
               state_same_epoch_shared(uniform_state(word + done), kind, now))
            done += UNIFORM_WORDS;
        more = same_epoch_words(word + done, count - done, kind, now);
        done += more;
    } while (more != 0);
    return done;
}
