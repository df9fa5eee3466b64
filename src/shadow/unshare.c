#include "shadow/unshare.h"

#include "shadow/owner_state.h"
#include "shadow/readers.h"
#include "shadow/record.h"

/* By chunk: long runs since it was shared, or LISTED; above them, how often it was leased. Several threads
 * write it: an update that is lost only delays. */
static uint16_t *runs;
enum { RUN_BITS = 12, LISTED = (1 << RUN_BITS) - 1, MOST_LEASED = RUN_BITS - 2, FIRST_RUNS = 2 };

/* Chunks to be leased. Whoever gets a number below MOST writes that entry, inside; the others' chunks wait.
 */
enum { MOST = 1024 };
static uint32_t list[MOST], listed;

/* Words of these that were changed since the world was stopped, and how many cost as much as that does.
 * (CYCLES: for one of them. It may have taken long because there was no processor for somebody.) */
enum { CYCLES = 8, LEAST_PRICE = 1 << 12, MOST_PRICE = 1 << 18 };
static uint64_t changed, price = LEAST_PRICE;
static uint32_t leased;

read_mostly bool (*unshare_bytes_wait)(uint32_t chunk);

void unshare_init(void)
{
    runs = arena_sparse(sizeof *runs << 32, true);
}

static unsigned times_leased(uint16_t entry)
{
    return entry >> RUN_BITS;
}

/* How many long runs it takes. */
static unsigned runs_due(uint16_t entry)
{
    return owner_shortest_stay == 0 ? 1 : FIRST_RUNS << times_leased(entry);
}

/* False: the list is full. */
static bool enlist(uint32_t chunk)
{
    if (load_relaxed(&listed) >= MOST)
        return false;
    uint32_t at = __atomic_fetch_add(&listed, 1, __ATOMIC_RELAXED);
    if (at < MOST)
        list[at] = chunk;
    return at < MOST;
}

bool unshare_due(void)
{
    return owner_can() && load_relaxed(&listed) > 0 &&
           (owner_shortest_stay == 0 ||
            (load_relaxed(&changed) >= load_relaxed(&price) && owner_can_afford()));
}

bool unshare_note(uint32_t chunk, size_t words)
{
    uint16_t seen = load_relaxed(&runs[chunk]);
    if ((seen & LISTED) != LISTED) {
        bool due = (unsigned)(seen & LISTED) + 1 >= runs_due(seen) && enlist(chunk);
        if (due || (seen & LISTED) + 1 < LISTED)
            store_relaxed(&runs[chunk], due ? seen | LISTED : seen + 1);
        if (!due)
            return false;
    }
    __atomic_fetch_add(&changed, words, __ATOMIC_RELAXED);
    return unshare_due();
}

static bool has_readers(uint32_t chunk)
{
    const uint64_t *word = shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
    for (size_t i = 0; i < (1 << OWNER_CHUNK_BITS) / 4; i++)
        if (!word_expanded(word[i]) && is_readers(read_half(word[i])))
            return true;
    return false;
}

/* The world is stopped, so nobody is about to change the chunk's entry, and MOVING it is not. */
static void lease(uint32_t chunk, bool any_readers)
{
    unsigned times = times_leased(runs[chunk]);
    store_relaxed(&runs[chunk], (uint16_t)((times < MOST_LEASED ? times + 1 : times) << RUN_BITS));
    if (load_acquire(&owner_table[chunk]) != OWNER_SHARED ||
        (unshare_bytes_wait != NULL && unshare_bytes_wait(chunk)) || (any_readers && has_readers(chunk)))
        return;
    store_relaxed(&owner_more[chunk], 0);
    store_release(&owner_table[chunk], OWNER_LEASE);
    leased++;
}

bool unshare_stopped(void)
{
    bool any_readers = vector_live() != 0;
    uint32_t count = listed < MOST ? listed : MOST, before = leased;
    for (uint32_t i = 0; i < count; i++)
        lease(list[i], any_readers);
    store_relaxed(&listed, 0);
    store_relaxed(&changed, 0);
    return leased != before;
}

void unshare_done(uint64_t began)
{
    uint64_t words = (__builtin_ia32_rdtsc() - began) / CYCLES;
    store_relaxed(&price, words < LEAST_PRICE ? LEAST_PRICE : words > MOST_PRICE ? MOST_PRICE : words);
    owner_spend(began);
}

void unshare_paid(uint32_t chunk)
{
    if (unlikely(load_relaxed(&runs[chunk]) != 0))
        store_relaxed(&runs[chunk], 0);
}

bool unshare_was(uint32_t chunk)
{
    return times_leased(load_relaxed(&runs[chunk])) > 0;
}

uint32_t unshare_count(void)
{
    return leased;
}
