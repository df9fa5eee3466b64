/* Plain accesses to whole words, where the new state of a word follows from the old one and there is no race.
 *
 * What a step makes of a word depends on the word, the kind of access and the thread's clock. Within an epoch
 * the clock only grows, so what was ordered before the thread stays so, and the same word has the same answer
 * again. Neighbouring words are mostly in one state: a thread remembers its last answers (`struct
 * word_step`), and a step is a comparison and a store, or a compare-and-swap of two words at once where the
 * chunk is shared (shadow/owner.h).
 *
 * Records, races, memory that was freed, and whatever else is rare are left to shadow_access().
 */
#pragma once

#include <emmintrin.h>
#include <stddef.h>

#include "shadow/freed.h"
#include "shadow/readers.h"

hot_inline struct word_step *step_of(struct actor *t, uint64_t from, enum access_kind kind)
{
    return &t->step[kind][from * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STEP_BITS)];
}

/* Works the step out and remembers it. False: not here. */
HIDDEN bool step_learn(struct actor *t, uint64_t from, enum access_kind kind, struct word_step *step);

/* What the access makes of the word; false: not here. */
hot_inline bool step_known(struct actor *t, uint64_t from, enum access_kind kind, uint64_t *to)
{
    struct word_step *step = step_of(t, from, kind);
    if (unlikely(step->from != from || step->now != t->now) && !step_learn(t, from, kind, step))
        return false;
    *to = step->to;
    return true;
}

/* Both return how many of the words are done; *changed is not 0 if one is not as it was. */

/* Words that are all alike, two at a time. A half of a 16-byte store is never seen in part. False: they are
 * not. */
hot_inline bool store_alike(uint64_t *word, size_t count, uint64_t from, uint64_t to)
{
    __m128i *two = (__m128i *)word, all = _mm_set1_epi64x((long long)from), same = _mm_set1_epi32(-1);
    for (size_t i = 0; i < count / 2; i++)
        same = _mm_and_si128(same, _mm_cmpeq_epi32(_mm_loadu_si128(two + i), all));
    if (unlikely(_mm_movemask_epi8(same) != 0xffff))
        return false;
    for (size_t i = 0; i < count / 2; i++)
        _mm_storeu_si128(two + i, _mm_set1_epi64x((long long)to));
    return true;
}

/* In a chunk that is the thread's own. */
hot_inline size_t quick_own(uint64_t *word, size_t count, enum access_kind kind, struct actor *t,
                            uint32_t *changed)
{
    uint64_t from = load_acquire(word), to;
    bool few = __builtin_constant_p(count) && count % 2 == 0;
    if ((from == 0 && freed_any(word, few ? count : 1)) || unlikely(!step_known(t, from, kind, &to)))
        return 0;
    if (few && likely(store_alike(word, count, from, to))) {
        *changed += to != from;
        return count;
    }
    size_t done = 0;
    do {
        uint64_t seen = load_acquire(word + done);
        if (seen == 0 && freed_any(word + done, 1))
            break;
        if (unlikely(seen != from)) {
            if (!step_known(t, seen, kind, &to))
                break;
            from = seen;
        }
        *changed += to != from;
        store_release(word + done, to);
        done++;
        while (!__builtin_constant_p(count) && done + 4 <= count &&
               (from != 0 || !freed_any(word + done, 4)) && likely(store_alike(word + done, 4, from, to)))
            done += 4;
    } while (done < count);
    return done;
}

/* The same for `count` accesses of `each` words (1, 2 or 4), `stride` words apart. Returns how many are done.
 */
hot_inline size_t quick_own_strided(uint64_t *word, size_t count, size_t each, ptrdiff_t stride,
                                    enum access_kind kind, struct actor *t)
{
    uint64_t from = 0, to = 0; /* no step */
    uint32_t changed;
    size_t done = 0;
    for (; done < count; done++, word += stride) {
        uint64_t seen = load_acquire(word);
        if (seen == 0 && freed_any(word, each))
            break;
        if (unlikely(seen != from || to == 0)) {
            if (!step_known(t, seen, kind, &to))
                break;
            from = seen;
        }
        if (each == 1)
            store_release(word, to);
        else if (unlikely(!store_alike(word, each, from, to)) &&
                 quick_own(word, each, kind, t, &changed) < each)
            break;
    }
    return done;
}

/* The same for accesses of 4, 8 or 16 bytes. */
hot_inline size_t quick_own_elements(uint64_t *word, size_t count, size_t size, ptrdiff_t stride,
                                     enum access_kind kind, struct actor *t)
{
    if (size == 4)
        return quick_own_strided(word, count, 1, stride, kind, t);
    if (size == 8)
        return quick_own_strided(word, count, 2, stride, kind, t);
    return quick_own_strided(word, count, 4, stride, kind, t);
}

/* Both words: low, high -> to. */
hot_inline bool cas_pair(uint64_t *word, uint64_t low, uint64_t high, uint64_t to)
{
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(unsigned __int128 *)word), "+a"(low), "+d"(high)
                     : "b"(to), "c"(to)
                     : "memory");
    return done;
}

hot_inline bool is_pair(const uint64_t *word)
{
    return ((uintptr_t)word & 15) == 0;
}

/* A word whose step is not known. */
HIDDEN bool quick_shared_slow(uint64_t *word, uint64_t seen, enum access_kind kind, struct actor *t,
                              uint32_t *changed);

/* The step from an empty word was made, and its memory has been freed meanwhile (shadow/freed.h). */
hot_inline void quick_met(uint64_t *word, struct actor *t)
{
    t->met = word;
}

hot_inline size_t quick_shared(uint64_t *word, size_t count, enum access_kind kind, struct actor *t,
                               uint32_t *changed)
{
    size_t done = 0;
    while (done < count) {
        uint64_t seen = load_acquire(word + done), to;
        if (seen == 0 && freed_any(word + done, 1))
            break;
        bool vector = kind == PLAIN_READ && is_readers(read_half(seen));
        uint32_t *row = vector ? vector_row_of(t->now) : NULL;
        if (row != NULL && readers_known(seen, row, t->now)) {
            done++;
            continue;
        }
        if (row != NULL && readers_settled(seen) && likely(t->owner.busy != 0) &&
            likely(half_before(write_half(seen), t->clock))) {
            readers_note(seen, row, t->now);
            *changed += 1;
            done++;
            continue;
        }
        if (vector || unlikely(!step_known(t, seen, kind, &to))) {
            if (!quick_shared_slow(word + done, seen, kind, t, changed))
                break;
            done++;
            continue;
        }
        size_t two = done + 1 < count && is_pair(word + done) && load_acquire(word + done + 1) == seen;
        if (to != seen) {
            if (unlikely(two ? !cas_pair(word + done, seen, seen, to) : !cas_acq_rel(word + done, &seen, to)))
                break;
            *changed += 1 + (uint32_t)two;
            set_memo_served(&t->memo, to >> 63);
            if (seen == 0 && freed_any(word + done, 1)) {
                quick_met(word + done, t);
                break;
            }
        }
        done += 1 + two;
    }
    return done;
}
