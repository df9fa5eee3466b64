#include "shadow/chunks.h"

#include "base/arena.h"
#include "base/sys.h"

read_mostly uint8_t *chunk_table;

/* One bit for each MiB that has a used chunk: 2^32 chunks are too many to visit. */
enum {
    REGION_SIZE_BITS = 20,
    REGION_SIZE = 1 << REGION_SIZE_BITS,
    REGION_BITS = REGION_SIZE_BITS - CHUNK_BITS,
    CHUNKS_BITS = SHADOW_WINDOW_BITS - CHUNK_BITS
};
static uint64_t *regions;

static uint8_t *used_chunks; /* by region: how many of its chunks are used, up to LAST_LOOK */
enum { LAST_LOOK = 64 };

void chunks_init(void)
{
    regions = arena_pages((size_t)1 << (CHUNKS_BITS - REGION_BITS - 3));
    used_chunks = arena_sparse((size_t)1 << (CHUNKS_BITS - REGION_BITS), true);
    chunk_table = arena_sparse(sizeof *chunk_table << CHUNKS_BITS, true);
}

static bool region_used(uint32_t region)
{
    return load_relaxed(&regions[region / 64]) >> region % 64 & 1;
}

/* --- huge pages ---
 *
 * The shadow of a region is as large as a huge page. It gets one when the program uses most of the region's memory: the
 * shadow then takes no more than three times what the program does, and most of it would be made page by page anyway. A huge
 * page costs one fault instead of 512, and needs one TLB entry. */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Is most of the region's memory in use? A chunk's number lacks the highest bits of the address: all values are tried, and
 * one at most has memory (runtime/places.h). */
static bool mostly_resident(uint32_t region)
{
    enum {
        PAGE = 4096,
        PAGES = REGION_SIZE / PAGE,
        MOST = PAGES / 4 * 3,
        HIGHEST = 1 << (47 - SHADOW_WINDOW_BITS)
    };
    unsigned char page[PAGES];
    for (uintptr_t high = 0; high < HIGHEST; high++) {
        uintptr_t from = high << SHADOW_WINDOW_BITS | (uintptr_t)region << REGION_SIZE_BITS;
        unsigned resident = 0;
        if (sys_call3(SYS_mincore, (long)from, REGION_SIZE, (long)page) != 0)
            continue;
        for (unsigned i = 0; i < PAGES; i++)
            resident += page[i] & 1;
        if (resident >= MOST)
            return true;
    }
    return false;
}

/* False: the kernel has none, or it is not worth it. The kernel copies what the region's pages hold. MADV_NOHUGEPAGE leaves
 * the huge page, and makes one mapping of it and its neighbours again: a process may not have too many. */
static bool make_huge(uint32_t region)
{
    enum { FAILURES = 8 };
    static uint32_t failures;
    const long size = 2L << REGION_SIZE_BITS, from = (long)shadow_base + (long)region * size;
    if (load_relaxed(&failures) >= FAILURES || !mostly_resident(region))
        return false;
    sys_call3(SYS_madvise, from, size, MADV_HUGEPAGE);
    bool done = sys_call3(SYS_madvise, from, size, MADV_COLLAPSE) == 0;
    sys_call3(SYS_madvise, from, size, MADV_NOHUGEPAGE);
    if (!done)
        add_relaxed(&failures, 1);
    return done;
}

/* A chunk of the region is used for the first time. Tries at the region's first chunk and, for memory that is being filled,
 * at a later one. Returns whether all of the region's shadow is there now. */
static bool try_huge(uint32_t region)
{
    uint8_t used = load_relaxed(&used_chunks[region]);
    if (used == LAST_LOOK)
        return false;
    store_relaxed(&used_chunks[region], (uint8_t)(used + 1));
    return (used == 0 || used + 1 == LAST_LOOK) && make_huge(region);
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
    uint8_t unused = CHUNK_UNUSED;
    cas_acq_rel(&chunk_table[chunk], &unused, CHUNK_USED);
    if (!try_huge(region))
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
