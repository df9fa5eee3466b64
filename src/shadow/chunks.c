#include "shadow/chunks.h"

#include "base/arena.h"
#include "base/sys.h"

read_mostly bool *chunk_table;

/* One bit for each MiB that has a used chunk: 2^32 chunks are too many to visit. */
enum { REGION_BITS = 20 - CHUNK_BITS, CHUNKS_BITS = SHADOW_WINDOW_BITS - CHUNK_BITS };
static uint64_t *regions;

/* The shadow of a region is one huge page. Where a region is used all over, its neighbours will be: they get
 * huge pages, unless they are used already. A neighbour of a region without one is a mapping of its own, of
 * which a process may not have too many. */
enum { PLENTY = 64, HUGE = 1 << 7, MOST_APART = 4096 };
static uint8_t *claims; /* by region: how many used chunks, up to PLENTY; HUGE: it has a huge page */

void chunks_init(void)
{
    regions = arena_pages((size_t)1 << (CHUNKS_BITS - REGION_BITS - 3));
    claims = arena_sparse((size_t)1 << (CHUNKS_BITS - REGION_BITS), true);
    chunk_table = arena_sparse(sizeof *chunk_table << CHUNKS_BITS, true);
}

static bool region_used(uint32_t region)
{
    return load_relaxed(&regions[region / 64]) >> region % 64 & 1;
}

static void prefer_huge(uint32_t region, bool apart)
{
    static uint32_t all_apart;
    const size_t size = (size_t)1 << (REGION_BITS + CHUNK_BITS + 1);
    if (region_used(region) || (apart && add_relaxed(&all_apart, 1) >= MOST_APART))
        return;
    store_relaxed(&claims[region], HUGE);
    sys_call3(SYS_madvise, (long)(shadow_base + region * size), (long)size, MADV_HUGEPAGE);
}

static void claim(uint32_t chunk)
{
    enum { LAST = (1 << (CHUNKS_BITS - REGION_BITS)) - 1 };
    uint32_t region = chunk >> REGION_BITS;
    uint8_t seen = load_relaxed(&claims[region]);
    if (likely((seen & ~HUGE) == PLENTY))
        return;
    store_relaxed(&claims[region], (uint8_t)(seen + 1));
    if ((seen & ~HUGE) + 1 != PLENTY)
        return;
    if (region < LAST)
        prefer_huge(region + 1, !(seen & HUGE));
    if (region > 0)
        prefer_huge(region - 1, !(seen & HUGE));
}

/* A word is loaded first and changed next: two page faults, the second with an interrupt for all threads. So
 * the page is made by a change that changes nothing. */
static void touch(uint32_t chunk)
{
    enum { PAGE = 4096 };
    uintptr_t word = (uintptr_t)shadow_of((uintptr_t)chunk << CHUNK_BITS);
    for (uintptr_t page = word; page < word + (2 << CHUNK_BITS); page += PAGE)
        or_relaxed((uint64_t *)page, 0);
}

/* The chunk; the next one, in a scan; and all around it when three quarters of them are used. */
static void touch_new(uint32_t chunk)
{
    enum { AROUND = 16, MOST_OF_THEM = 12 };
    uint32_t first = chunk & -(uint32_t)AROUND, used = 0;
    touch(chunk);
    if (chunk > 0 && chunk_used(chunk - 1) && !chunk_used(chunk + 1))
        touch(chunk + 1);
    for (uint32_t i = 0; i < AROUND; i++)
        used += chunk_used(first + i);
    for (uint32_t i = 0; used == MOST_OF_THEM && i < AROUND; i++)
        if (!chunk_used(first + i))
            touch(first + i);
}

cold_path void chunk_use_slow(uint32_t chunk)
{
    uint32_t region = chunk >> REGION_BITS;
    if (!region_used(region))
        or_relaxed(&regions[region / 64], UINT64_C(1) << region % 64);
    store_release(&chunk_table[chunk], true);
    claim(chunk);
    touch_new(chunk);
}

void chunks_use(uintptr_t address, size_t size)
{
    for (uintptr_t page = address >> CHUNK_BITS; page <= (address + size - 1) >> CHUNK_BITS; page++)
        chunk_use((uint32_t)page);
}

size_t chunk_next_used(size_t from, size_t to)
{
    while (from < to && !chunk_used((uint32_t)from))
        from = region_used((uint32_t)(from >> REGION_BITS)) ? from + 1
                                                            : ((from >> REGION_BITS) + 1) << REGION_BITS;
    return from < to ? from : to;
}

static void each_in_region(uint32_t region, void (*visit)(uint32_t chunk, void *to), void *to)
{
    uint32_t first = region << REGION_BITS;
    for (uint32_t i = 0; i < 1u << REGION_BITS; i++)
        if (chunk_used(first + i))
            visit(first + i, to);
}

void chunks_each(void (*visit)(uint32_t chunk, void *to), void *to)
{
    for (size_t i = 0; i < (size_t)1 << (CHUNKS_BITS - REGION_BITS - 6); i++)
        for (uint64_t left = load_relaxed(&regions[i]); left != 0; left &= left - 1)
            each_in_region((uint32_t)i * 64 + (uint32_t)__builtin_ctzl(left), visit, to);
}
