#include "shadow/owner.h"

#include <linux/membarrier.h>

#include "shadow/byte_page.h"
#include "shadow/frozen.h"
#include "shadow/half.h"
#include "shadow/owner_state.h"
#include "shadow/uniform.h"
#include "shadow/unshare.h"

read_mostly uint32_t *owner_table;
read_mostly uint32_t *owner_more;
read_mostly struct owner_view *(*owner_view_of)(uint32_t mine);
read_mostly struct owner_view *(*owner_holder)(uint32_t lease);
read_mostly void (*owner_settle)(struct owner_view *view, uint32_t chunk, uint32_t count);
read_mostly void (*owner_wait_all)(uint32_t chunk);
static read_mostly bool can_own;

/* One bit for each MiB: one of its chunks has, or had, an owner. */
enum { REGION_BITS = 20 - OWNER_CHUNK_BITS, CHUNKS_BITS = SHADOW_WINDOW_BITS - OWNER_CHUNK_BITS };
static uint64_t *regions;

/* A region's shadow is one huge page of the kernel's. Where a region is used all over, its neighbours will
 * be: they get huge pages, if nobody has been there yet. Elsewhere there are pages for what is used only. (A
 * neighbour of one that has none is a mapping of its own, of which a process may not have too many.) */
enum { PLENTY = 64, HUGE = 1 << 7, MOST_APART = 4096 };
/* by region: how many chunks have had an owner, up to PLENTY; HUGE: it has a huge page */
static uint8_t *claims;

static void prefer_huge(uint32_t region, bool apart)
{
    static uint32_t all_apart;
    const size_t size = (size_t)1 << (REGION_BITS + OWNER_CHUNK_BITS + 1);
    if (load_relaxed(&regions[region / 64]) >> region % 64 & 1 ||
        (apart && __atomic_fetch_add(&all_apart, 1, __ATOMIC_RELAXED) >= MOST_APART))
        return;
    store_relaxed(&claims[region], HUGE);
    sys_call3(SYS_madvise, (long)(shadow_base + region * size), (long)size, MADV_HUGEPAGE);
}

static void claimed(uint32_t chunk)
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

/* To take a chunk from its owner costs a membarrier, some microseconds. A lease costs a compare-and-swap, and
 * some lines of the cache, for each epoch. So a chunk that was taken once is leased; a scan takes several at
 * a time; a thread that has had the lease for as many epochs in a row as cost about a membarrier owns the
 * chunk again, if all threads together have spent no more than a small part of the time on membarriers; and a
 * chunk that goes from hand to hand and is hardly used is shared.
 *
 * owner_more, above OWNER_WROTE: of an owned chunk, since when it is. Of a leased one, how often in a row the
 * same thread had it again; and how often it has changed hands since somebody looked whether it was used. */
enum { TIME_UNIT_BITS = 16, MOST_AT_A_TIME = 64, NEAR = 512, TIME_PER_TAKING = 16 };
enum { RENEWAL = 1 << 1, CHANGE = 1 << 11, MOST_RENEWALS = 1023 * RENEWAL, CHANGES_TO_LOOK = 8 };
enum { RENEWALS_IN_TESTS = 15 * RENEWAL };

#ifndef SHORTEST_STAY
#define SHORTEST_STAY 4
#endif
uint32_t owner_shortest_stay = SHORTEST_STAY;

/* Cycles: what may be spent on membarriers was spent up to then. It lags behind the present by as much as was
 * saved up, which is limited, and is ahead of it when there is nothing left. */
static uint64_t spent_until;
enum { MOST_SAVED = 1 << 27, MOST_SPENT = 1 << 17, FENCE_CYCLES = 1 << 15 };

static uint32_t time_now(void)
{
    return (uint32_t)(__builtin_ia32_rdtsc() >> TIME_UNIT_BITS) << 1;
}

bool owner_init(void)
{
    regions = arena_pages((size_t)1 << (CHUNKS_BITS - REGION_BITS - 3));
    claims = arena_sparse((size_t)1 << (CHUNKS_BITS - REGION_BITS), true);
    owner_table = arena_sparse(sizeof *owner_table << CHUNKS_BITS, true);
    owner_more = arena_sparse(sizeof *owner_more << CHUNKS_BITS, true);
    unshare_init();
    uniform_init();
    byte_page_init();
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

void owner_fence_all(void)
{
    sys_call3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static bool is_thread(uint32_t entry)
{
    return entry != OWNER_NOBODY && entry < OWNER_LEASE;
}

static bool is_lease(uint32_t entry)
{
    return entry >= OWNER_LEASE && entry < OWNER_UNIFORM;
}

bool owner_is_left(uint32_t chunk)
{
    uint32_t entry = load_acquire(&owner_table[chunk]);
    return is_lease(entry) && owner_holder(entry) == NULL;
}

/* Who has ended the epoch of its lease is not in the chunk, and has checked what waited there. */
void owner_wait(uint32_t entry, uint32_t chunk, uint32_t count)
{
    struct owner_view *view = is_lease(entry) ? owner_holder(entry) : owner_view_of(entry);
    if (view == NULL)
        return;
    while (load_acquire(&view->busy) - ((uint64_t)chunk + 1) < count)
        sys_yield();
    if (owner_settle != NULL)
        owner_settle(view, chunk, count);
}

/* The owner has been told to keep off; waits for what it may be in the middle of. */
static void wait_for(uint32_t entry, uint32_t chunk, uint32_t count)
{
    owner_fence_all();
    owner_wait(entry, chunk, count);
}

/* Goes up when a chunk is wanted while its lease lasts, and down with each request that is refused for that:
 * then it is shared at once. Several threads write it: an update that is lost only moves the limit a little.
 */
static uint32_t broken;
enum { MOST_BROKEN = 64, REFUSALS_FOR_EACH = 4 };

static bool leases_pay(void)
{
    uint32_t seen = load_relaxed(&broken);
    if (likely(seen < MOST_BROKEN) || owner_shortest_stay == 0)
        return true;
    store_relaxed(&broken, seen - 1);
    return false;
}

/* (A chunk that was shared before has its own measure: shadow/unshare.h.) */
static void broke_a_lease(uint32_t chunk, uint32_t entry)
{
    if (is_lease(entry) && owner_holder(entry) != NULL && !unshare_was(chunk))
        store_relaxed(&broken, load_relaxed(&broken) + REFUSALS_FOR_EACH);
}

static void make_shared(uint32_t chunk)
{
    uint32_t *entry = &owner_table[chunk], seen = load_acquire(entry);
    while (seen != OWNER_SHARED) {
        if (seen == OWNER_MOVING) {
            sys_yield();
            seen = load_acquire(entry);
        } else if (seen == OWNER_FROZEN) {
            if (frozen_end(chunk, false) != WAS_NOT_FROZEN) {
                store_release(entry, OWNER_SHARED);
                return;
            }
            seen = load_acquire(entry);
        } else if (seen == OWNER_UNIFORM) {
            uniform_end(chunk);
            seen = load_acquire(entry);
        } else if (cas_acq_rel(entry, &seen, OWNER_MOVING)) {
            broke_a_lease(chunk, seen);
            if (seen != OWNER_NOBODY)
                wait_for(seen, chunk, 1);
            store_release(entry, OWNER_SHARED);
            return;
        }
    }
}

void owner_share(const struct owner_view *view, uint32_t chunk)
{
    uint32_t entry = load_acquire(&owner_table[chunk]);
    if (entry == OWNER_NOBODY || !owner_is_own(view, entry) ||
        !cas_acq_rel(&owner_table[chunk], &entry, OWNER_MOVING))
        return;
    bool freeze = frozen_pays();
    if (freeze)
        frozen_begin(chunk);
    store_release(&owner_table[chunk], freeze ? OWNER_FROZEN : OWNER_SHARED);
}

void owner_note(uint32_t chunk)
{
    uint32_t region = chunk >> REGION_BITS;
    uint64_t bit = UINT64_C(1) << region % 64;
    if (unlikely(!(load_relaxed(&regions[region / 64]) & bit)))
        __atomic_fetch_or(&regions[region / 64], bit, __ATOMIC_RELAXED);
}

uintptr_t owner_next_used(uintptr_t page, uintptr_t end)
{
    while (page < end) {
        uint32_t region = (uint32_t)page >> REGION_BITS;
        if (load_relaxed(&regions[region / 64]) >> region % 64 & 1)
            return page;
        page = ((page >> REGION_BITS) + 1) << REGION_BITS;
    }
    return end;
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
    for (uintptr_t page = address >> OWNER_CHUNK_BITS; page <= (address + size - 1) >> OWNER_CHUNK_BITS;
         page++) {
        owner_note((uint32_t)page);
        make_shared((uint32_t)page);
    }
}

/* Words are looked at first and changed next: two page faults, the second with an interrupt for all threads. So pages of the
 * shadow are made by a change that changes nothing (shadow_touch). */
static void touch(uint32_t chunk)
{
    enum { PAGE = 4096 };
    uintptr_t word = (uintptr_t)shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
    for (uintptr_t page = word; page < word + (2 << OWNER_CHUNK_BITS); page += PAGE)
        __atomic_fetch_or((uint64_t *)page, 0, __ATOMIC_RELAXED);
}

/* Of a chunk that was nobody's; of the next one for who goes from one to the next; and, when three quarters of the chunks
 * around it are somebody's, of the others. */
static void touch_new(const struct owner_view *view, uint32_t chunk)
{
    enum { AROUND = 16, MOST_OF_THEM = 12 };
    uint32_t first = chunk & -(uint32_t)AROUND, used = 0;
    touch(chunk);
    if (chunk > 0 && load_relaxed(&owner_table[chunk - 1]) == view->mine &&
        load_relaxed(&owner_table[chunk + 1]) == OWNER_NOBODY)
        touch(chunk + 1);
    for (uint32_t i = 0; i < AROUND; i++)
        used += load_relaxed(&owner_table[first + i]) != OWNER_NOBODY;
    for (uint32_t i = 0; used == MOST_OF_THEM && i < AROUND; i++)
        if (load_relaxed(&owner_table[first + i]) == OWNER_NOBODY)
            touch(first + i);
}

static bool is_of_slot(uint32_t lease, uint32_t other)
{
    return half_slot(lease - OWNER_LEASE) == half_slot(other - OWNER_LEASE);
}

/* Did others come to the memory before this? Then they will to this: a heap that grows. */
static bool follows_taken(const struct owner_view *view, uint32_t chunk)
{
    uint32_t before = chunk > 0 ? load_relaxed(&owner_table[chunk - 1]) : OWNER_NOBODY;
    return view->lease != OWNER_NEVER &&
           (before == OWNER_SHARED || (is_lease(before) && !is_of_slot(before, view->lease)));
}

/* Nobody's chunk, or that of a thread that has ended, goes to whoever asks first. */
static bool claim(struct owner_view *view, uint32_t chunk)
{
    uint32_t seen = load_acquire(&owner_table[chunk]);
    if (!can_own || view->mine == 0 || (seen != OWNER_NOBODY && !is_thread(seen)))
        return false;
    if (seen != OWNER_NOBODY && owner_view_of(seen) != NULL)
        return false;
    if (!cas_acq_rel(&owner_table[chunk], &seen, OWNER_MOVING))
        return false;
    bool leased = seen == OWNER_NOBODY && follows_taken(view, chunk);
    store_relaxed(&owner_more[chunk],
                  leased ? 0 : time_now()); /* while nobody else may: of a frozen chunk it is another thing */
    store_release(&owner_table[chunk], leased ? view->lease : view->mine);
    if (seen == OWNER_NOBODY) {
        claimed(chunk);
        touch_new(view, chunk);
    }
    return true;
}

static bool can_afford(uint64_t cycles)
{
    uint64_t until = load_relaxed(&spent_until);
    if (owner_shortest_stay == 0) /* tests want them all */
        return true;
    if (until < cycles - MOST_SAVED && cycles > MOST_SAVED)
        cas_relaxed(&spent_until, &until, cycles - MOST_SAVED);
    return until < cycles;
}

bool owner_can_afford(void)
{
    return can_own && can_afford(__builtin_ia32_rdtsc());
}

/* (While it was not running it has spent nothing.) */
void owner_spend(uint64_t began)
{
    uint64_t cycles = __builtin_ia32_rdtsc() - began;
    __atomic_fetch_add(&spent_until, (cycles < MOST_SPENT ? cycles : MOST_SPENT) * TIME_PER_TAKING,
                       __ATOMIC_RELAXED);
}

bool owner_may_fence(void)
{
    if (!can_own || owner_wait_all == NULL || !can_afford(__builtin_ia32_rdtsc()))
        return false;
    __atomic_fetch_add(&spent_until, (uint64_t)FENCE_CYCLES * TIME_PER_TAKING, __ATOMIC_RELAXED);
    return true;
}

/* Is the chunk the owner's still? Then it is nobody's for a moment. */
static bool keep_off(uint32_t chunk, uint32_t owner)
{
    uint32_t seen = owner;
    return load_relaxed(&owner_table[chunk]) == owner &&
           cas_acq_rel(&owner_table[chunk], &seen, OWNER_MOVING);
}

/* Has it been so for long enough? */
static bool seize(uint32_t chunk, uint32_t owner, uint32_t now)
{
    return (now - load_relaxed(&owner_more[chunk])) / 2 >= owner_shortest_stay && keep_off(chunk, owner);
}

/* How many at a time: the more, the more often the last ones were near. */
static uint32_t widen(struct owner_view *view, uint32_t chunk)
{
    bool near = chunk - view->last_taken + NEAR < 2 * NEAR;
    uint32_t width = near ? 2 * view->width : view->width / 2;
    view->last_taken = chunk;
    return view->width = width == 0 ? 1 : width > MOST_AT_A_TIME ? MOST_AT_A_TIME : width;
}

/* From its owner, with what else of that owner's is around it: that may be anybody's. */
static bool take_over(struct owner_view *view, uint32_t chunk)
{
    uint32_t owner = load_acquire(&owner_table[chunk]), now = time_now();
    uint64_t began = __builtin_ia32_rdtsc(), taken = 0;
    if (view->lease == OWNER_NEVER || !is_thread(owner) || !leases_pay() || !keep_off(chunk, owner))
        return false;
    uint32_t width = widen(view, chunk), first = chunk & -width;
    for (uint32_t i = 0; i < width; i++)
        if (first + i == chunk || seize(first + i, owner, now))
            taken |= UINT64_C(1) << i;
    owner_fence_all();
    for (; taken != 0; taken &= taken - 1) {
        uint32_t i = first + (uint32_t)__builtin_ctzl(taken);
        owner_wait(owner, i, 1);
        store_relaxed(&owner_more[i], 0);
        store_release(&owner_table[i], i == chunk ? view->lease : OWNER_LEASE);
    }
    owner_spend(began);
    return true;
}

static bool word_says(uint64_t word, uint32_t half)
{
    return write_half(word) == half || read_half(word) == half;
}

static bool bytes_say(const uint64_t *cell, uint32_t half)
{
    return word_says(cell[0], half) || word_says(cell[1], half) || word_says(cell[2], half) ||
           word_says(cell[3], half);
}

/* Did the thread access more than a few words of the chunk in its epoch? */
static bool was_used(uint32_t chunk, uint32_t lease)
{
    enum { FEW = 8 };
    const uint64_t *word = shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
    uint32_t half = lease - OWNER_LEASE, used = 0;
    for (size_t i = 0; i < (1 << OWNER_CHUNK_BITS) / 4 && used <= FEW; i++)
        used += word_says(word[i], half) || (word_paged(word[i]) && bytes_say(byte_cells(&word[i]), half));
    return used > FEW;
}

/* Whose lease is over does not come back by it. Its chunk is shared if threads come and go without doing much
 * there. */
static bool renew(struct owner_view *view, uint32_t chunk)
{
    uint32_t seen = load_acquire(&owner_table[chunk]), entry = view->lease;
    if (entry == OWNER_NEVER || !is_lease(seen) || owner_holder(seen) != NULL || !keep_off(chunk, seen))
        return false;
    uint32_t more = owner_more[chunk] & ~(uint32_t)OWNER_WROTE;
    if (seen == OWNER_LEASE) {
        more = 0;
    } else if (!is_of_slot(seen, entry)) {
        more = (more & -CHANGE) + CHANGE;
        if (more == CHANGES_TO_LOOK * CHANGE && owner_shortest_stay != 0)
            entry = was_used(chunk, seen) ? entry : OWNER_SHARED;
        if (more == CHANGES_TO_LOOK * CHANGE)
            more = 0;
    } else if ((more & (CHANGE - 1)) < (owner_shortest_stay == 0 ? RENEWALS_IN_TESTS : MOST_RENEWALS)) {
        more += RENEWAL;
    } else if (can_afford(__builtin_ia32_rdtsc())) {
        entry = view->mine;
        more = time_now();
        unshare_paid(chunk);
    }
    store_relaxed(&owner_more[chunk], more);
    store_release(&owner_table[chunk], entry);
    return true;
}

/* Has no thread bytes waiting in the chunk? It is MOVING, and every thread has executed a fence since: whoever
 * saw it frozen and is about to begin a word there is still in it. */
static bool nothing_waits(uint32_t chunk)
{
    if (owner_wait_all != NULL)
        owner_wait_all(chunk);
    return unshare_bytes_wait == NULL || !unshare_bytes_wait(chunk);
}

/* A chunk that many have read and one writes anew, a buffer: it will be read by many again. So it goes to who writes it, by a
 * lease, as if it had never been shared; but not if something waits there that only shared chunks have
 * (shadow/unshare.h). */
static bool take_frozen(struct owner_view *view, uint32_t chunk)
{
    if (load_acquire(&owner_table[chunk]) != OWNER_FROZEN || view->lease == OWNER_NEVER)
        return false;
    enum thawing was = frozen_end(chunk, false);
    if (was == WAS_NOT_FROZEN)
        return false;
    bool leased = was == FROZEN_WITH_PROFIT && nothing_waits(chunk);
    store_relaxed(&owner_more[chunk], 0);
    store_release(&owner_table[chunk], leased ? view->lease : OWNER_SHARED);
    return true;
}

bool owner_enter_slow(struct owner_view *view, uint32_t chunk)
{
    owner_note(chunk);
    for (;;) {
        uint32_t seen = load_acquire(&owner_table[chunk]);
        if (seen == OWNER_SHARED)
            return false;
        if (seen == OWNER_MOVING) {
            sys_yield();
        } else if (seen == OWNER_UNIFORM) {
            uniform_end(chunk);
        } else if (renew(view, chunk) || claim(view, chunk) || take_over(view, chunk) ||
                   take_frozen(view, chunk)) {
            if (owner_enter(view, chunk))
                return true;
        } else {
            make_shared(chunk);
        }
    }
}

/* A chunk that its owner only reads will be read by both. */
static bool was_written(uint32_t chunk)
{
    return load_relaxed(&owner_more[chunk]) & OWNER_WROTE;
}

/* The chunk is another thread's; with some of those behind it that are only read, too. Where chunks are soon
 * thawed again (shadow/frozen.h) it is shared instead. */
static void freeze(struct owner_view *view, uint32_t chunk)
{
    uint32_t owner = load_acquire(&owner_table[chunk]), width = widen(view, chunk), count = 1;
    uint64_t began = __builtin_ia32_rdtsc();
    if (!is_thread(owner) && !is_lease(owner))
        return;
    if (!frozen_pays()) {
        make_shared(chunk);
        return;
    }
    if (!keep_off(chunk, owner))
        return;
    while (count < width && !was_written(chunk + count) && keep_off(chunk + count, owner))
        count++;
    wait_for(owner, chunk, count);
    for (uint32_t i = 0; i < count; i++) {
        frozen_begin(chunk + i);
        store_release(&owner_table[chunk + i], OWNER_FROZEN);
    }
    owner_spend(began);
}

enum owner_mode owner_begin_reading(struct owner_view *view, uint32_t chunk)
{
    for (;;) {
        if (likely(owner_enter(view, chunk)))
            return OWNER_IS_SELF;
        owner_note(chunk);
        uint32_t seen = load_acquire(&owner_table[chunk]);
        if (seen == OWNER_SHARED || !can_own || view->mine == 0)
            return owner_enter_slow(view, chunk) ? OWNER_IS_SELF : OWNER_IS_ALL;
        if (seen == OWNER_FROZEN)
            return OWNER_IS_FROZEN;
        if (seen == OWNER_MOVING)
            sys_yield();
        else if (seen == OWNER_UNIFORM)
            uniform_end(chunk);
        else if (!renew(view, chunk) && !claim(view, chunk) &&
                 !(was_written(chunk) && take_over(view, chunk)))
            freeze(view, chunk);
    }
}

void owner_thaw(uintptr_t address, size_t size)
{
    uintptr_t end = ((address + size - 1) >> OWNER_CHUNK_BITS) + 1;
    for (uintptr_t at = address >> OWNER_CHUNK_BITS; (at = owner_next_used(at, end)) < end; at++) {
        uint32_t *entry = &owner_table[(uint32_t)at];
        while (unlikely(load_acquire(entry) == OWNER_MOVING)) /* perhaps somebody else thaws it */
            sys_yield();
        if (unlikely(load_acquire(entry) == OWNER_FROZEN))
            make_shared((uint32_t)at);
        uniform_end((uint32_t)at);
    }
}

void owner_thaw_stopped(uint32_t chunk)
{
    if (load_acquire(&owner_table[chunk]) == OWNER_FROZEN && frozen_end(chunk, true) != WAS_NOT_FROZEN)
        store_release(&owner_table[chunk], OWNER_SHARED);
}

void owner_forget(uintptr_t address, size_t size)
{
    uintptr_t first = (address + (1u << OWNER_CHUNK_BITS) - 1) >> OWNER_CHUNK_BITS,
              last = (address + size) >> OWNER_CHUNK_BITS;
    for (uintptr_t page = first; (page = owner_next_used(page, last)) < last; page++) {
        uint32_t *entry = &owner_table[owner_chunk(page << OWNER_CHUNK_BITS)];
        owner_thaw(page << OWNER_CHUNK_BITS, 1);
        if (load_relaxed(entry) != OWNER_NOBODY)
            store_release(entry, OWNER_NOBODY);
    }
}
