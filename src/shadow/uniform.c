#include "shadow/uniform.h"

#include <emmintrin.h>

#include "base/arena.h"
#include "base/sys.h"
#include "shadow/pair.h"

read_mostly uint64_t *uniform_table;

static uint32_t broken;

uint32_t uniform_count(void)
{
    return load_relaxed(&broken);
}

void uniform_init(void)
{
    uniform_table = arena_sparse(sizeof *uniform_table << (SHADOW_WINDOW_BITS - UNIFORM_BITS), true);
}

static uint64_t *block_of(uint64_t *word)
{
    return (uint64_t *)((uintptr_t)word & -(uintptr_t)(UNIFORM_WORDS * sizeof *word));
}

/* --- breaking up --- */

/* Of an even number of words. */
static void fill(uint64_t *word, size_t count, uint64_t state)
{
    const __m128i two = _mm_set1_epi64x((long long)state);
    for (size_t i = 0; i < count; i += 2)
        _mm_store_si128((__m128i *)(word + i), two);
}

/* A vector belongs to one location (shadow/readers.h), but not the readers in it. */
static uint64_t without_vector(uint64_t state)
{
    return is_vector(read_half(state)) ? (uint64_t)state_take_readers(state) << 32 | write_half(state)
                                       : state;
}

void uniform_break(uint64_t *word)
{
    uint64_t *uniform = uniform_of(word), seen = load_acquire(uniform);
    if (unlikely(seen == BUSY))
        sys_yield();
    else if (seen != 0 && likely(cas_acq_rel(uniform, &seen, BUSY))) {
        fill(block_of(word), UNIFORM_WORDS, without_vector(seen));
        add_relaxed(&broken, 1);
        store_release(uniform, 0);
    }
}

bool uniform_empty(uint64_t *block, uint64_t seen)
{
    uint64_t *uniform = uniform_of(block), old = seen;
    if (!cas_acq_rel(uniform, &old, BUSY))
        return false;
    if (is_vector(read_half(seen)))
        vector_free(read_half(seen));
    fill(block, UNIFORM_WORDS, 0);
    store_release(uniform, 0);
    return true;
}

static uint64_t *chunk_words(size_t chunk)
{
    return (uint64_t *)(shadow_base + (chunk << (CHUNK_BITS + 1)));
}

bool uniform_break_all(uint64_t *from, uint64_t *to)
{
    bool any = false;
    size_t last = shadow_chunk(to - 1);
    for (size_t chunk = shadow_chunk(from); (chunk = chunk_next_used(chunk, last + 1)) <= last; chunk++) {
        uint64_t *block = chunk_words(chunk), *end = chunk_words(chunk + 1);
        block = block < from ? block_of(from) : block;
        for (; block < end && block < to; block += UNIFORM_WORDS)
            for (; load_acquire(uniform_of(block)) != 0; any = true)
                uniform_break(block);
    }
    return any;
}

/* --- accesses --- */

hot_inline bool all_in(const uint64_t *block, uint64_t state)
{
    const __m128i two = _mm_set1_epi64x((long long)state), *at = (const __m128i *)block;
    __m128i same = _mm_set1_epi32(-1);
    for (size_t i = 0; i < UNIFORM_WORDS / 2; i++)
        same = _mm_and_si128(same, _mm_cmpeq_epi32(_mm_load_si128(at + i), two));
    return _mm_movemask_epi8(same) == 0xffff;
}

/* The access makes the block uniform, if all its words are in one state that is ordered before. False: not all of
 * it is done. */
static bool make(uint64_t *block, enum access_kind kind, const struct actor *t, uint32_t *changed)
{
    uint64_t seen = load_acquire(block), none = 0, to = state_after(seen, kind, t->now);
    if (seen == 0 || !state_simple(seen) || state_same_epoch(seen, kind, t->now) ||
        unlikely(!state_ordered(seen, t)) || !all_in(block, seen) ||
        unlikely(!cas_acq_rel(uniform_of(block), &none, BUSY)))
        return false;
    size_t done = 0;
    while (done < UNIFORM_WORDS && likely(cas_pair(block + done, seen, seen, UNIFORM)))
        done += 2;
    if (unlikely(done < UNIFORM_WORDS))
        fill(block, done, to);
    store_release(uniform_of(block), done < UNIFORM_WORDS ? 0 : to);
    *changed += (uint32_t)done;
    return done == UNIFORM_WORDS;
}

/* Is nothing in the state unordered with the access? What a vector says is known only once it is taken away. */
hot_inline bool is_free_of_races(uint64_t seen, enum access_kind kind, const struct actor *t)
{
    if (kind == PLAIN_READ)
        return likely(half_before(write_half(seen), t->clock));
    return !is_vector(read_half(seen)) && likely(state_check_write(seen, t).earlier == 0);
}

bool uniform_access(uint64_t *block, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    for (;;) {
        uint64_t *uniform = uniform_of(block), seen = load_acquire(uniform);
        if (seen == 0)
            return make(block, kind, t, changed);
        if (unlikely(seen == BUSY)) {
            sys_yield();
            continue;
        }
        if (unlikely(!is_free_of_races(seen, kind, t))) {
            uniform_break(block);
            return false;
        }
        struct conflict none;
        enum state_answer answer = state_access(uniform, seen, kind, t, &none);
        if (unlikely(answer == STATE_AGAIN))
            continue;
        *changed += answer == STATE_CHANGED ? UNIFORM_WORDS : 0;
        return true;
    }
}
