#include "shadow/owner.h"

#include <linux/membarrier.h>

#include "base/arena.h"

uint32_t *owner_table;
struct owner_view *(*owner_view_of)(uint32_t mine);
static bool can_own;

/* One bit for each 256 chunks: one of them has, or had, an owner. */
enum { REGION_BITS = 8, CHUNKS_BITS = SHADOW_WINDOW_BITS - OWNER_CHUNK_BITS };
static uint64_t *regions;

bool owner_init(void)
{
    regions = arena_pages((size_t)1 << (CHUNKS_BITS - REGION_BITS - 3));
    owner_table = arena_pages(sizeof *owner_table << (SHADOW_WINDOW_BITS - OWNER_CHUNK_BITS));
    can_own = sys_call3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return can_own;
}

bool owner_can(void)
{
    return can_own;
}

void owner_forked(void)
{
    can_own = can_own && sys_call3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* The owner has been told to keep off; waits for what it may be in the middle of. */
static void wait_for(uint32_t mine, uint32_t chunk)
{
    sys_call3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    struct owner_view *view = owner_view_of(mine);
    while (view != NULL && load_acquire(&view->busy) == (uint64_t)chunk + 1)
        sys_yield();
}

static void make_shared(uint32_t chunk)
{
    uint32_t *entry = &owner_table[chunk], seen = load_acquire(entry);
    while (seen != OWNER_SHARED) {
        if (seen == OWNER_MOVING) {
            sys_yield();
            seen = load_acquire(entry);
        } else if (cas_acq_rel(entry, &seen, OWNER_MOVING)) {
            if (seen != OWNER_NOBODY)
                wait_for(seen, chunk);
            store_release(entry, OWNER_SHARED);
            return;
        }
    }
}

static void note_region(uint32_t chunk)
{
    uint32_t region = chunk >> REGION_BITS;
    uint64_t bit = UINT64_C(1) << region % 64;
    if (unlikely(!(load_relaxed(&regions[region / 64]) & bit)))
        __atomic_fetch_or(&regions[region / 64], bit, __ATOMIC_RELAXED);
}

static void each_in_region(uint32_t region, void (*visit)(uint32_t chunk, void *to), void *to)
{
    uint32_t first = region << REGION_BITS;
    for (uint32_t i = 0; i < 1u << REGION_BITS; i++)
        if (load_relaxed(&owner_table[first + i]) != OWNER_NOBODY)
            visit(first + i, to);
}

void owner_each_chunk(void (*visit)(uint32_t chunk, void *to), void *to)
{
    for (size_t i = 0; i < (size_t)1 << (CHUNKS_BITS - REGION_BITS - 6); i++)
        for (uint64_t left = load_relaxed(&regions[i]); left != 0; left &= left - 1)
            each_in_region((uint32_t)i * 64 + (uint32_t)__builtin_ctzl(left), visit, to);
}

void owner_take(uintptr_t address, size_t size)
{
    for (uintptr_t page = address >> OWNER_CHUNK_BITS; page <= (address + size - 1) >> OWNER_CHUNK_BITS; page++) {
        note_region((uint32_t)page);
        make_shared((uint32_t)page);
    }
}

/* Nobody's chunk, or that of a thread that has ended, goes to whoever asks first. */
static bool claim(struct owner_view *view, uint32_t chunk)
{
    uint32_t seen = load_acquire(&owner_table[chunk]);
    if (!can_own || view->mine == 0 || seen == OWNER_SHARED || seen == OWNER_MOVING)
        return false;
    if (seen != OWNER_NOBODY && owner_view_of(seen) != NULL)
        return false;
    return cas_acq_rel(&owner_table[chunk], &seen, view->mine);
}

bool owner_enter_slow(struct owner_view *view, uint32_t chunk)
{
    if (load_acquire(&owner_table[chunk]) == OWNER_SHARED)
        return false;
    note_region(chunk);
    while (claim(view, chunk))
        if (owner_enter(view, chunk))
            return true;
    make_shared(chunk);
    return false;
}

void owner_forget(uintptr_t address, size_t size)
{
    uintptr_t first = (address + (1u << OWNER_CHUNK_BITS) - 1) >> OWNER_CHUNK_BITS,
              last = (address + size) >> OWNER_CHUNK_BITS;
    for (uintptr_t page = first; page < last; page++) {
        uint32_t *entry = &owner_table[owner_chunk(page << OWNER_CHUNK_BITS)];
        if (load_relaxed(entry) != OWNER_NOBODY)
            store_release(entry, OWNER_NOBODY);
    }
}
