/* free() on the shadow. Whole pairs of words get an entry; what is left over at the ends is written as ever.
 */
#include "shadow/freed.h"

#include "shadow/access.h"
#include "shadow/empty.h"
#include "shadow/mixed.h"
#include "shadow/pair.h"
#include "shadow/uniform.h"

enum { PAIR_BYTES = 8, AT_A_TIME = 4 };

bool freed_marks[FREED_MARKS];

/* The entry is loaded once the word is BUSY: a free() that puts another one later finds the word, and waits. Who gives the
 * memory out again may empty the word meanwhile. */
cold_path void freed_spell_out(uint64_t *word)
{
    uint64_t empty = 0, busy = BUSY;
    if (freed_when(word) == 0)
        return;
    freed_mark(word);
    if (cas_acq_rel(word, &empty, BUSY))
        cas_acq_rel(word, &busy, freed_when(word));
}

hot_inline bool is_empty(__m128i bits)
{
    return !any_set(bits);
}

/* The race of the lowest byte is the one that is reported. */
static void note_lowest(struct race_found *found, struct conflict c, uintptr_t address)
{
    if (unlikely(c.earlier != 0) && (found->conflict.earlier == 0 || address < found->address)) {
        found->conflict = c;
        found->address = address;
    }
}

/* --- entries --- */

/* The pair has an entry: realloc() that left the block where it was. A word that is empty still means it. */
static void compare_entry(uintptr_t address, uint32_t before, struct race_found *found)
{
    const uint64_t *word = shadow_of(address);
    for (unsigned i = 0; i < 2; i++)
        if (load_relaxed(&word[i]) == 0) {
            struct race_found here = {0};
            note(&here, (struct conflict){before, PLAIN_WRITE}, address + 4 * i);
            note_lowest(found, here.conflict, here.address);
        }
}

/* One after the other. */
cold_path static void put_each(uintptr_t address, size_t pairs, const struct actor *t,
                               struct race_found *found)
{
    for (uintptr_t end = address + pairs * PAIR_BYTES; address < end; address += PAIR_BYTES) {
        uint32_t before = freed_when(shadow_of(address));
        if (unlikely(before != 0 && !half_before(before, t->clock)))
            compare_entry(address, before, found);
        store_relaxed(freed_of(shadow_of(address)), t->now);
    }
}

/* Four at a time, and the last four: of those, some have been put already by then. */
hot_inline void put_entries(uintptr_t address, size_t pairs, const struct actor *t, struct race_found *found)
{
    if (unlikely(pairs < AT_A_TIME)) {
        put_each(address, pairs, t, found);
        return;
    }
    uint32_t *freed = freed_of(shadow_of(address));
    size_t i = 0, last = pairs - AT_A_TIME;
    __m128i now = _mm_set1_epi32((int)t->now), at_last = _mm_loadu_si128((__m128i *)(freed + last));
    for (; i < last; i += AT_A_TIME) {
        if (unlikely(!is_empty(_mm_loadu_si128((__m128i *)(freed + i)))))
            put_each(address + i * PAIR_BYTES, AT_A_TIME, t, found);
        else
            _mm_storeu_si128((__m128i *)(freed + i), now);
    }
    if (unlikely(!is_empty(at_last)))
        put_each(address + last * PAIR_BYTES, AT_A_TIME, t, found);
    else
        _mm_storeu_si128((__m128i *)(freed + last), now);
}

/* --- words --- */

/* Does a write follow without a race? Not where a closer look is needed. */
hot_inline bool write_follows(uint64_t word, const struct actor *t)
{
    return state_simple(word) && state_ordered(word, t);
}

/* A pair that is not empty becomes so. False: not in this way. */
hot_inline bool write_pair(uint64_t *pair, const struct actor *t)
{
    uint64_t low = load_acquire(pair), high = load_acquire(pair + 1);
    if (word_mixed(low))
        return mixed_write_follows(low, high, t) && likely(cas_pair(pair, low, high, 0));
    if (unlikely(!write_follows(low, t)) || (high != low && unlikely(!write_follows(high, t))))
        return false;
    return likely(cas_pair(pair, low, high, 0));
}

/* Four pairs, or fewer. Returns how many are done. */
static __attribute__((noinline)) size_t write_pairs(uint64_t *pair, size_t pairs, const struct actor *t)
{
    for (size_t i = 0; i < pairs; i++)
        if (!is_empty(_mm_load_si128((const __m128i *)pair + i)) && unlikely(!write_pair(pair + 2 * i, t)))
            return i;
    return pairs;
}

hot_inline bool four_empty(const uint64_t *word)
{
    const __m128i *at = (const __m128i *)word;
    return is_empty(_mm_or_si128(_mm_or_si128(_mm_load_si128(at), _mm_load_si128(at + 1)),
                                 _mm_or_si128(_mm_load_si128(at + 2), _mm_load_si128(at + 3))));
}

/* Pairs that are empty stay so. Returns how many are done.
 * The last four may be some that have become empty. */
hot_inline size_t write_used(uint64_t *word, size_t pairs, const struct actor *t)
{
    if (unlikely(pairs < AT_A_TIME))
        return write_pairs(word, pairs, t);
    size_t last = pairs - AT_A_TIME, done;
    for (size_t i = 0; i < last; i += AT_A_TIME) {
        if (likely(four_empty(word + 2 * i)))
            continue;
        done = write_pairs(word + 2 * i, AT_A_TIME, t);
        if (unlikely(done < AT_A_TIME))
            return i + done;
    }
    return likely(four_empty(word + 2 * last)) ? pairs : last + write_pairs(word + 2 * last, AT_A_TIME, t);
}

/* --- blocks --- */

static void also(uintptr_t address, size_t size, struct actor *t, struct race_found *found)
{
    struct race_found here;
    shadow_access(address, size, PLAIN_WRITE, t, &here);
    note_lowest(found, here.conflict, here.address);
}

/* The first pair, where a fence is due, which a compare-and-swap is, too. Returns whether
 * it is done. */
hot_inline bool fence_with(uint64_t *pair, const struct actor *t)
{
    if (!is_empty(_mm_load_si128((const __m128i *)pair)) && likely(write_pair(pair, t)))
        return true;
    fence_seq_cst();
    return false;
}

/* Whole pairs of one chunk. Returns how many are done. `put`: so are their entries. */
hot_inline size_t free_pairs(uintptr_t address, size_t pairs, bool put, struct actor *t,
                             struct race_found *found)
{
    chunk_use_freed(chunk_of(address)); /* sweeps visit its entries */
    if (!put)
        put_entries(address, pairs, t, found);
    uint64_t *word = shadow_of(address);
    size_t done = fence_with(word, t);
    return done + write_used(word + 2 * done, pairs - done, t);
}

/* A plain or PAGED word of the block becomes empty; its entry says the rest. False: it has a record. */
static bool free_word(uint64_t *word, uintptr_t address, struct actor *t, struct race_found *found)
{
    for (;;) {
        uint64_t seen = load_acquire(word), old = seen, cell[4] = {seen, seen, seen, seen};
        if (word_recorded(seen))
            return false;
        if (unlikely(write_half(seen) == BUSY)) {
            sys_yield();
            continue;
        }
        if (unlikely(word_uniform(seen))) {
            uniform_break(word);
            continue;
        }
        if (word_mixed(seen)) {
            mixed_break(word);
            continue;
        }
        bool paged = word_paged(seen);
        if (!(paged ? bytes_close(word, seen, cell) : cas_acq_rel(word, &old, 0)))
            continue;
        struct race_found here = {0};
        for (unsigned i = 0; seen != 0 && i < (paged ? 4u : 1u); i++) {
            note_bytes(&here, state_check_write(cell[i], t), address + i, paged ? 1 : 4);
            if (is_vector(read_half(cell[i])))
                vector_free(read_half(cell[i]));
        }
        note_lowest(found, here.conflict, here.address);
        if (paged)
            store_release(word, 0);
        return true;
    }
}

/* As one, a uniform block that begins here. False: not so, or it races. */
static bool free_uniform(uint64_t *word, size_t pairs, const struct actor *t)
{
    if (pairs < UNIFORM_WORDS / 2 || !uniform_begins(word))
        return false;
    uint64_t state = uniform_state(word);
    return state != 0 && write_follows(state, t) && uniform_empty(word, state);
}

/* The pair after the first `done` needs a closer look: a race, several readers, bytes; or somebody was faster. */
cold_path static void free_rest(uintptr_t address, size_t pairs, size_t done, struct actor *t,
                                struct race_found *found)
{
    while (done < pairs) {
        address += done * PAIR_BYTES;
        pairs -= done;
        if (free_uniform(shadow_of(address), pairs, t)) {
            done = UNIFORM_WORDS / 2;
            continue;
        }
        pairs--;
        for (uintptr_t end = address + PAIR_BYTES; address < end; address += 4)
            if (unlikely(!free_word(shadow_of(address), address, t, found))) {
                freed_mark(shadow_of(address));
                also(address, 4, t, found);
            }
        done = pairs > 0 ? free_pairs(address, pairs, true, t, found) : 0;
    }
}

hot_inline void free_in_chunk(uintptr_t address, size_t pairs, struct actor *t, struct race_found *found)
{
    size_t done = free_pairs(address, pairs, false, t, found);
    if (unlikely(done < pairs))
        free_rest(address, pairs, done, t, found);
}

/* Of any size and alignment. */
cold_path static void free_any(uintptr_t address, size_t size, struct actor *t, struct race_found *found)
{
    uintptr_t end = address + size, first = (address + PAIR_BYTES - 1) & -(uintptr_t)PAIR_BYTES,
              last = end & -(uintptr_t)PAIR_BYTES;
    if (first >= last) {
        also(address, size, t, found);
        return;
    }
    if (address < first)
        also(address, first - address, t, found);
    while (first < last) {
        uintptr_t limit = ((first >> CHUNK_BITS) + 1) << CHUNK_BITS;
        size_t bytes = min_size(limit, last) - first;
        free_in_chunk(first, bytes / PAIR_BYTES, t, found);
        first += bytes;
    }
    if (last < end)
        also(last, end - last, t, found);
}

void shadow_free(uintptr_t address, size_t size, struct actor *t, struct race_found *found)
{
    const size_t chunk = 1 << CHUNK_BITS;
    found->conflict.earlier = 0;
    found->changed = 1;
    if (likely((address | size) % PAIR_BYTES == 0 && size - 1 < chunk && address % chunk + size <= chunk))
        free_in_chunk(address, size / PAIR_BYTES, t, found);
    else
        free_any(address, size, t, found);
}
