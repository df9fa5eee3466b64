#include "shadow/uniform.h"

#include "shadow/quick.h"

/* By chunk: of one that is uniform, the word. */
static uint64_t *uniform_word;

/* By chunk: how often in a row it was spelled out before anybody had accessed all of it again. */
static uint8_t *vain;
enum { MOST_VAIN = 4 };

static uint32_t steps; /* about: several threads write it */

read_mostly bool (*uniform_waits)(struct owner_view *view, uint32_t chunk);

void uniform_init(void)
{
    uniform_word = arena_sparse(sizeof *uniform_word << 32, true);
    vain = arena_sparse(sizeof *vain << 32, true);
}

static uint64_t *words_of(uint32_t chunk)
{
    return shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
}

/* False: it is not that, or not any more. */
static bool lock(uint32_t chunk, uint32_t from)
{
    return load_acquire(&owner_table[chunk]) == from && cas_acq_rel(&owner_table[chunk], &from, OWNER_MOVING);
}

static void unlock(uint32_t chunk, uint32_t to)
{
    store_release(&owner_table[chunk], to);
}

/* --- a step of all words at once --- */

static bool is_same_epoch(uint64_t word, enum access_kind kind, uint32_t now)
{
    return write_half(word) == now || (kind == PLAIN_READ && read_half(word) == now);
}

static void spell_out(uint32_t chunk)
{
    __m128i *two = (__m128i *)words_of(chunk), all = _mm_set1_epi64x((long long)uniform_word[chunk]);
    for (size_t i = 0; i < UNIFORM_WORDS / 2; i++)
        _mm_store_si128(two + i, all);
    if (vain[chunk] < MOST_VAIN)
        vain[chunk]++;
    store_relaxed(&owner_more[chunk], 0);
}

/* The chunk is locked. */
static bool step(uint32_t chunk, uint64_t from, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    uint64_t to;
    if (!step_known(t, from, kind, &to))
        return false;
    uniform_word[chunk] = to;
    *changed += to != from;
    store_relaxed(&steps, load_relaxed(&steps) + 1);
    return true;
}

static bool step_again(uint32_t chunk, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    if (is_same_epoch(load_relaxed(&uniform_word[chunk]), kind, t->now))
        return true;
    while (!lock(chunk, OWNER_UNIFORM))
        if (load_acquire(&owner_table[chunk]) != OWNER_MOVING)
            return false;
        else
            sys_yield();
    bool done = step(chunk, uniform_word[chunk], kind, t, changed);
    if (done)
        vain[chunk] = 0;
    else
        spell_out(chunk);
    unlock(chunk, done ? OWNER_UNIFORM : OWNER_LEASE);
    return done;
}

bool uniform_step(uint32_t chunk, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    uint32_t seen = load_acquire(&owner_table[chunk]);
    if (seen == OWNER_UNIFORM)
        return step_again(chunk, kind, t, changed);
    if (seen != OWNER_NOBODY || t->owner.mine == 0 || !owner_can() || vain[chunk] == MOST_VAIN ||
        !lock(chunk, OWNER_NOBODY))
        return false;
    owner_note(chunk); /* nobody was ever there: its words are empty, and no memory in it was freed */
    bool done = step(chunk, 0, kind, t, changed);
    unlock(chunk, done ? OWNER_UNIFORM : OWNER_NOBODY);
    return done;
}

/* --- becoming uniform, and ceasing to be --- */

/* Was some of its memory freed, and not given out since? */
static bool any_freed(uint32_t chunk)
{
    const __m128i *freed = (const __m128i *)freed_of(words_of(chunk));
    __m128i any = _mm_setzero_si128();
    for (size_t i = 0; i < UNIFORM_WORDS / 8; i++)
        any = _mm_or_si128(any, _mm_cmpgt_epi32(_mm_load_si128(freed + i), _mm_setzero_si128()));
    return _mm_movemask_epi8(any) != 0;
}

/* How many words from the first on are alike, by twos. */
static size_t alike(const uint64_t *word, size_t count)
{
    const __m128i *two = (const __m128i *)word, first = _mm_set1_epi64x((long long)word[0]);
    size_t i = 0;
    while (i < count / 2 && _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_load_si128(two + i), first)) == 0xffff)
        i++;
    return 2 * i;
}

/* Does the access make the same of all words? */
static bool same_step(uint32_t chunk, enum access_kind kind, struct actor *t, uint64_t *to)
{
    const uint64_t *word = words_of(chunk);
    bool empty = false;
    for (size_t i = 0, count; i < UNIFORM_WORDS; i += count) {
        uint64_t each;
        count = alike(word + i, UNIFORM_WORDS - i);
        if (count == 0 || !step_known(t, word[i], kind, &each) || (i > 0 && each != *to))
            return false;
        *to = each;
        empty |= word[i] == 0;
    }
    return !empty || !any_freed(chunk);
}

bool uniform_begin(uint32_t chunk, enum access_kind kind, struct actor *t, uint32_t *changed)
{
    uint32_t seen = load_relaxed(&owner_table[chunk]);
    uint64_t to = 0;
    if (vain[chunk] == MOST_VAIN || !owner_is_own(&t->owner, seen) ||
        (uniform_waits != NULL && uniform_waits(&t->owner, chunk)) || !same_step(chunk, kind, t, &to))
        return false;
    uniform_word[chunk] = to;
    *changed += 1;
    return cas_acq_rel(&owner_table[chunk], &seen,
                       OWNER_UNIFORM); /* unless somebody takes it at this moment */
}

void uniform_end(uint32_t chunk)
{
    if (!lock(chunk, OWNER_UNIFORM))
        return;
    spell_out(chunk);
    unlock(chunk, OWNER_LEASE);
}

void uniform_drop(uintptr_t address, size_t size)
{
    uintptr_t first = (address + (1u << OWNER_CHUNK_BITS) - 1) >> OWNER_CHUNK_BITS,
              last = (address + size) >> OWNER_CHUNK_BITS;
    for (uintptr_t page = first; (page = owner_next_used(page, last)) < last; page++)
        if (lock((uint32_t)page, OWNER_UNIFORM)) {
            vain[(uint32_t)page] = 0;
            store_relaxed(&owner_more[(uint32_t)page], 0);
            unlock((uint32_t)page, OWNER_LEASE);
        }
}

uint64_t *uniform_stopped(uint32_t chunk)
{
    __m128i *two = (__m128i *)words_of(chunk);
    for (size_t i = 0; i < UNIFORM_WORDS / 2; i++)
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(_mm_load_si128(two + i), _mm_setzero_si128())) != 0xffff)
            _mm_store_si128(two + i, _mm_setzero_si128());
    return &uniform_word[chunk];
}

bool uniform_write_follows(uint32_t chunk, struct actor *t)
{
    uint64_t to;
    return uniform_is(chunk) && step_known(t, load_relaxed(&uniform_word[chunk]), PLAIN_WRITE, &to);
}

uint32_t uniform_count(void)
{
    return steps;
}
