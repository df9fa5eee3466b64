/* New memory, or memory given back: its shadow is empty again. Memory that moves takes its shadow along. */
#include "shadow/access.h"
#include "shadow/bytes.h"
#include "shadow/empty.h"
#include "shadow/freed.h"
#include "shadow/mixed.h"
#include "shadow/record.h"
#include "shadow/uniform.h"

/* --- a block of the heap --- */

enum { PAIR_BYTES = 8, AT_A_TIME = 4, CHUNK = 1 << CHUNK_BITS };

/* How many of the two words are PAGED. */
static uint32_t count_paged(__m128i pair)
{
    uint32_t low_halves = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi32(pair, _mm_set1_epi32((int)PAGED)));
    return (low_halves & 1) + (low_halves >> 8 & 1);
}

/* Four pairs. What was never used stays untouched. Returns whether a word was not empty; `*paged` counts
 * those that were PAGED. */
static bool clear_four(__m128i *pair, uint32_t *freed, __m128i entries, uint32_t *paged)
{
    __m128i any = _mm_or_si128(_mm_or_si128(_mm_load_si128(pair), _mm_load_si128(pair + 1)),
                               _mm_or_si128(_mm_load_si128(pair + 2), _mm_load_si128(pair + 3)));
    bool used = unlikely(any_set(any));
    if (used)
        for (unsigned i = 0; i < AT_A_TIME; i++) {
            *paged += count_paged(_mm_load_si128(pair + i));
            _mm_store_si128(pair + i, _mm_setzero_si128());
        }
    if (any_set(entries))
        _mm_storeu_si128((__m128i *)freed, _mm_setzero_si128());
    return used;
}

/* At least four. The last ones overlap with others: their entries are read first. */
static bool clear_pairs(uint64_t *word, size_t pairs)
{
    uint32_t *freed = freed_of(word);
    size_t last = pairs - AT_A_TIME;
    __m128i *pair = (__m128i *)word, at_last = _mm_loadu_si128((__m128i *)(freed + last));
    uint32_t paged = 0;
    bool used = false;
    for (size_t i = 0; i < last; i += AT_A_TIME)
        used |= clear_four(pair + i, freed + i, _mm_loadu_si128((__m128i *)(freed + i)), &paged);
    used |= clear_four(pair + last, freed + last, at_last, &paged);
    if (unlikely(paged != 0))
        bytes_cleared(paged);
    return used;
}

/* --- any memory --- */

/* A pair of words of which only one is cleared: its records (shadow/record.h), and when it was freed. */
static void separate_at(uint64_t *edge)
{
    if (likely(((uintptr_t)edge & sizeof *edge) == 0))
        return;
    record_separate(edge);
    freed_spell_out(edge - 1);
    freed_spell_out(edge);
}

/* Clears one word of a pair; the other one stays. Returns whether it was not empty. It waits for a BUSY word: another thread
 * may have made it so for its neighbour's sake. If it were emptied, and BUSY again for somebody else, the first thread
 * would take that for its own and lose the second one's state. */
static bool clear_half(uint64_t *word)
{
    for (;;) {
        uint64_t seen = load_acquire(word);
        if (word_mixed(seen))
            mixed_break(word);
        else if (unlikely(write_half(seen) == BUSY))
            sys_yield();
        else if (cas_acq_rel(word, &seen, 0))
            return seen != 0;
    }
}

/* Returns whether a word may not have been empty. */
static bool clear(uint64_t *from, uint64_t *to)
{
    size_t pairs = (size_t)(to - from) / 2;
    if (likely((((uintptr_t)from | (uintptr_t)to) & sizeof *from) == 0 && pairs >= AT_A_TIME &&
               pairs <= CHUNK / PAIR_BYTES)) {
        return clear_pairs(from, pairs);
    }
    separate_at(from);
    separate_at(to);
    empty((uintptr_t)freed_of(from), (uintptr_t)(freed_of(to - 1) + 1));
    bool used = false;
    if (!is_pair(from))
        used |= clear_half(from++);
    if (!is_pair(to))
        used |= clear_half(--to);
    return (from < to && empty((uintptr_t)from, (uintptr_t)to)) || used;
}

static void clear_slow(uintptr_t address, size_t size)
{
    uint64_t *from = shadow_of(address), *to = shadow_of(address + size - 1) + 1;
    uint32_t *freed = freed_of(from), first = load_relaxed(&freed[0]), second = load_relaxed(&freed[1]);
    uniform_break_all(from, to);
    while (unlikely(clear(from, to))) { /* somebody may be making a block uniform (shadow/uniform.h) */
        fence_seq_cst();
        if (likely(!uniform_break_all(from, to)))
            break;
    }
    if (unlikely(freed_is_block(first))) { /* it is still in the heap's book */
        store_relaxed(&freed[0], first);
        if (freed_is_size(second))
            store_relaxed(&freed[1], second);
    }
}

/* --- memory that was freed, and is given out again --- */

/* Is the chunk such that pairs of it which have an entry are known to be empty? */
hot_inline bool is_tidy(uintptr_t address)
{
    return !load_relaxed(freed_mark_of(shadow_of(address)));
}

/* Which of four pairs have an entry? */
hot_inline __m128i which_freed(__m128i entries)
{
    return _mm_cmpgt_epi32(entries, _mm_setzero_si128());
}

hot_inline bool all_freed(__m128i which)
{
    return _mm_movemask_epi8(which) == 0xffff;
}

/* At least four pairs, of which the first four have an entry: mostly, all have, and no word is looked at. The
 * last ones may be without: a block that was there before may have been shorter. */
hot_inline void clear_freed(uint64_t *word, uint32_t *freed, size_t pairs)
{
    uint32_t *at = freed, *last = freed + pairs - AT_A_TIME;
    __m128i all = _mm_set1_epi32(-1), at_last = _mm_loadu_si128((__m128i *)last);
    for (; at < last; at += AT_A_TIME) {
        all = _mm_and_si128(all, which_freed(_mm_loadu_si128((__m128i *)at)));
        _mm_storeu_si128((__m128i *)at, _mm_setzero_si128());
    }
    _mm_storeu_si128((__m128i *)last, _mm_setzero_si128());
    if (unlikely(!all_freed(all)))
        empty_here((uintptr_t)word, (uintptr_t)(word + 2 * pairs));
    else if (!all_freed(which_freed(at_last)))
        empty_here((uintptr_t)(word + 2 * (pairs - AT_A_TIME)), (uintptr_t)(word + 2 * pairs));
}

void shadow_clear(uintptr_t address, size_t size)
{
    if (unlikely(size == 0))
        return;
    uint64_t *word = shadow_of(address);
    uint32_t *freed = freed_of(word);
    if (likely((address | size) % PAIR_BYTES == 0 && size >= AT_A_TIME * PAIR_BYTES && size <= CHUNK) &&
        likely(all_freed(which_freed(_mm_loadu_si128((__m128i *)freed)))) && likely(is_tidy(address)) &&
        likely(is_tidy(address + size - 1)))
        clear_freed(word, freed, size / PAIR_BYTES);
    else
        clear_slow(address, size);
}

/* The part of [address, end) that is in the chunk. */
static size_t in_chunk(uintptr_t address, uintptr_t end)
{
    return min_size(end - address, CHUNK - address % CHUNK);
}

/* To give pages back to the kernel interrupts all threads; what nobody ever touched is empty. */
void shadow_clear_used(uintptr_t address, size_t size)
{
    enum { MANY = 64 };
    uintptr_t end = address + size;
    size_t used = 0;
    for (uintptr_t at = address; at < end; at += in_chunk(at, end))
        used += chunk_used(chunk_of(at));
    if (used > MANY) {
        shadow_clear(address, size);
        return;
    }
    for (uintptr_t at = address, part; at < end; at += part) {
        part = in_chunk(at, end);
        if (chunk_used(chunk_of(at)))
            shadow_clear(at, part);
    }
}

void shadow_touch(uintptr_t address, size_t size)
{
    const uint64_t *from = shadow_of(address), *to = shadow_of(address + size - 1) + 1;
    touch_pages((uintptr_t)from, (uintptr_t)to);
    touch_pages((uintptr_t)freed_of(from), (uintptr_t)(freed_of(to - 1) + 1));
}

void shadow_write_fresh(uintptr_t address, size_t size, uint32_t now)
{
    const __m128i written = _mm_set1_epi64x((int64_t)state_after(0, PLAIN_WRITE, now));
    __m128i *pair = (__m128i *)shadow_of(address), *end = pair + size / PAIR_BYTES;
    chunks_use(address, size);
    for (; pair < end; pair++)
        _mm_store_si128(pair, written);
}

/* The bytes' states, and the sync objects, are put into a record of the new word. */
static void move_bytes(uint64_t *from, uint64_t *to)
{
    struct record *record = record_lock(from);
    struct sync *sync = record->sync;
    struct cell cell[4];
    record_settle(record);
    __builtin_memcpy(cell, record->cell, sizeof cell);
    record->sync = NULL;
    record_unlock(record);
    record = record_lock(to);
    __builtin_memcpy(record->cell, cell, sizeof cell);
    record->sync = sync;
    record_unlock(record);
}

/* A vector belongs to its word (shadow/readers.h), but not the readers in it. */
static uint64_t moved(const uint64_t *from)
{
    uint64_t word = word_state(from, load_relaxed(from));
    if (word_expanded(word))
        return 0;
    return is_vector(read_half(word)) ? (uint64_t)vector_intern(read_half(word)) << 32 | write_half(word)
                                      : word;
}

static void move_words(uintptr_t from, uintptr_t to, size_t size)
{
    chunks_use(to, size);
    uniform_break_all(shadow_of(from), shadow_of(from + size - 1) + 1);
    for (size_t offset = 0; offset < size; offset += 4) {
        uint64_t *word = shadow_of(from + offset), *new = shadow_of(to + offset);
        if (load_relaxed(word) == 0)
            continue;
        mixed_break(word);
        store_relaxed(new, moved(word));
        if (unlikely(word_expanded(load_relaxed(word))))
            move_bytes(word, new);
    }
}

/* The first address of [at, end) whose chunk was used, or `end`. Where no chunk up to the end of the shadow's window was, but
 * the range goes on: the beginning of the next window. */
static uintptr_t next_used(uintptr_t at, uintptr_t end)
{
    const size_t chunks = (size_t)1 << (SHADOW_WINDOW_BITS - CHUNK_BITS);
    size_t chunk = chunk_of(at), left = ((end - 1) >> CHUNK_BITS) - (at >> CHUNK_BITS) + 1;
    size_t used = chunk_next_used(chunk, min_size(chunk + left, chunks));
    return used == chunk ? at : min_size(((at >> CHUNK_BITS) + used - chunk) << CHUNK_BITS, end);
}

/* Parts of a large mapping that were never touched cost neither time nor shadow. */
void shadow_move(uintptr_t from, uintptr_t to, size_t size)
{
    uintptr_t end = from + size;
    for (uintptr_t at = from, part; (at = next_used(at, end)) < end; at += part) {
        uintptr_t new = to + (at - from);
        part = min_size(in_chunk(at, end), in_chunk(new, to + size));
        move_words(at, new, part);
    }
}
