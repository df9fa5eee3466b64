#include "shadow/readers.h"

#include "base/count.h"
#include "shadow/owner_state.h"

struct readers {
    uint32_t free_link; /* base/arena.h */
    uint32_t generation;
    uint32_t older;  /* the shorter vector that this one continues, or 0 */
    uint32_t before; /* an epoch or a set: who had read the word when it got the vector */
};

const uint32_t readers_room[READERS_CLASSES] = {12, 28, 60, 252, READERS_MOST_SLOTS};
_Static_assert(READERS_CLASSES <= 7,
               "a class fits between the tags and the flags, and no half is NOT_NARROW");
_Static_assert(READERS_IN_CHUNK % READERS_ABREAST == 0, "vectors that are abreast are in one chunk");

static struct slab slabs[READERS_CLASSES] = {
    [0 ... READERS_CLASSES - 1] = {.object = sizeof(struct readers)}};
uint32_t *readers_entries[READERS_CLASSES][READERS_CHUNKS];
uint32_t readers_slots;

static struct readers *readers_at(uint32_t reads)
{
    return slab_at(&slabs[readers_class(reads)], readers_index(reads));
}

cold_path static void want_slot(uint32_t slot)
{
    uint32_t seen = load_relaxed(&readers_slots);
    while (seen <= slot && !cas_acq_rel(&readers_slots, &seen, slot + 1)) {
    }
}

/* How many entries of the vector may be in use. */
static uint32_t length_of(uint32_t reads)
{
    uint32_t most = readers_room[readers_class(reads)], wanted = load_acquire(&readers_slots);
    return wanted < most ? wanted : most;
}

static void make_entries(unsigned class, uint32_t index)
{
    uint32_t **chunk = &readers_entries[class][index / READERS_IN_CHUNK], *none = NULL;
    size_t size = sizeof **chunk * READERS_IN_CHUNK * readers_room[class];
    if (likely(load_acquire(chunk) != NULL))
        return;
    uint32_t *made = arena_pages(size);
    if (!cas_acq_rel(chunk, &none, made))
        arena_pages_free(made, size);
}

/* With room for this slot; its entries say so that nobody has read. */
static uint32_t take(uint32_t slot, uint32_t older, uint32_t before)
{
    unsigned class = 0;
    want_slot(slot);
    while (readers_room[class] < load_relaxed(&readers_slots))
        class ++;
    uint32_t index = slab_take(&slabs[class]);
    while (unlikely(index >> READERS_INDEX_BITS !=
                    0)) /* used up: 2^25 of the longest are more than any memory */
        index = slab_take(&slabs[++class]);
    make_entries(class, index);
    struct readers *v = slab_at(&slabs[class], index);
    v->older = older;
    v->before = before;
    return CROWD_TAG | class << READERS_CLASS_SHIFT | index;
}

static void highest_slot(uint32_t half, void *highest_so_far)
{
    uint32_t *most = highest_so_far, slot = half_slot(half);
    *most = slot > *most ? slot : *most;
}

bool readers_possible(uint32_t reads, uint32_t now)
{
    uint32_t most = half_slot(now);
    sets_visit(reads, highest_slot, &most);
    return most < READERS_MOST_SLOTS;
}

uint32_t readers_new(uint32_t reads, const struct actor *t)
{
    uint32_t made = take(half_slot(t->now), 0, reads);
    count(READ_SETS);
    store_relaxed(readers_entry(made, half_slot(t->now)), t->now);
    return made;
}

/* --- settled vectors --- */

/* A thread asks each so many epochs. */
#ifndef READERS_SETTLE /* a test build has it at 1 */
#define READERS_SETTLE 64
#endif

static uint64_t word_with(uint64_t word, uint32_t flags)
{
    const uint32_t all = READERS_SETTLED | READERS_LEAVING;
    return (word & ~((uint64_t)all << 32)) | (uint64_t)flags << 32;
}

/* The thread has just read the word. */
cold_path static void settle(uint64_t *word, uint64_t seen)
{
    if (!readers_stay(seen) && owner_may_fence())
        cas_acq_rel(word, &seen, word_with(seen, READERS_SETTLED));
}

enum { UNSETTLED_AT_ONCE = 64 };

/* What it is now that it is LEAVING; 0: it was not settled. */
static uint64_t leave(uint64_t *word)
{
    uint64_t seen = load_acquire(word), leaving = word_with(seen, READERS_LEAVING);
    return readers_settled(seen) && cas_acq_rel(word, &seen, leaving) ? leaving : 0;
}

cold_path void readers_unsettle(uint64_t *word, size_t count)
{
    uint64_t leaving[UNSETTLED_AT_ONCE], any = 0;
    count = count < UNSETTLED_AT_ONCE ? count : UNSETTLED_AT_ONCE;
    for (size_t i = 0; i < count; i++)
        any |= leaving[i] = leave(word + i);
    if (any == 0) {
        sys_yield(); /* somebody is at it, or was */
        return;
    }
    owner_fence_all();
    owner_wait_all(shadow_chunk(word));
    for (size_t i = 0; i < count; i++)
        if (leaving[i] != 0)
            cas_acq_rel(word + i, &leaving[i],
                        word_with(leaving[i], 0)); /* fails only if the memory was cleared */
}

/* --- unsettled ones --- */

/* The word's vector has no room for the thread's slot. */
cold_path static enum readers_answer lengthen(uint64_t *word, uint64_t seen, const struct actor *t)
{
    if (readers_stay(seen)) {
        if (t->owner.busy == 0) /* else it will come again by a way on which it is in no chunk */
            readers_unsettle(word, 1);
        return READERS_AGAIN;
    }
    uint32_t longer = take(half_slot(t->now), read_half(seen), 0);
    count(READ_SETS);
    store_relaxed(readers_entry(longer, half_slot(t->now)), t->now);
    if (cas_acq_rel(word, &seen, (uint64_t)longer << 32 | write_half(seen)))
        return READERS_ADDED;
    readers_at(longer)->older = 0;
    readers_free(longer);
    return READERS_AGAIN;
}

enum readers_answer readers_add(uint64_t *word, uint64_t seen, const struct actor *t)
{
    uint32_t reads = read_half(seen), slot = half_slot(t->now);
    if (unlikely(slot >= readers_room[readers_class(reads)]))
        return lengthen(word, seen, t);
    if (unlikely(slot >= load_relaxed(&readers_slots)))
        want_slot(slot);
    uint32_t *mine = readers_entry(reads, slot), old = load_acquire(mine);
    if (old == t->now)
        return READERS_KNOWN;
    if (unlikely(load_acquire(word) != seen) || unlikely(!cas_acq_rel(mine, &old, t->now)))
        return READERS_AGAIN;
    if (unlikely(load_acquire(word) != seen))
        return READERS_AGAIN;
    if (unlikely(t->now % READERS_SETTLE == 0))
        settle(word, seen);
    return READERS_ADDED;
}

uint32_t readers_first_unordered(uint32_t reads, const uint32_t *clock)
{
    for (; reads != 0; reads = readers_at(reads)->older) {
        const struct readers *v = readers_at(reads);
        for (uint32_t i = 0, length = length_of(reads); i < length; i++) {
            uint32_t half = load_relaxed(readers_entry(reads, i));
            if (!(half & NARROW_TAG) && !half_before(half, clock))
                return half;
        }
        uint32_t half = sets_first_unordered(v->before, clock);
        if (half != 0)
            return half;
    }
    return 0;
}

/* The latest epoch of each slot. */
struct latest {
    uint32_t slots; /* the highest one's number, plus 1 */
    uint32_t of[READERS_MOST_SLOTS];
};

static void keep_later(uint32_t half, void *to)
{
    struct latest *latest = to;
    uint32_t slot = half_slot(half);
    latest->slots = latest->slots > slot ? latest->slots : slot + 1;
    latest->of[slot] = latest->of[slot] > half ? latest->of[slot] : half;
}

uint32_t readers_intern(uint32_t reads)
{
    struct latest latest = {0};
    uint32_t count = 0;
    for (; reads != 0; reads = readers_at(reads)->older) {
        const struct readers *v = readers_at(reads);
        sets_visit(v->before, keep_later, &latest);
        for (uint32_t i = 0, length = length_of(reads); i < length; i++) {
            uint32_t half = load_relaxed(readers_entry(reads, i));
            if (!(half & NARROW_TAG))
                keep_later(half, &latest);
        }
    }
    for (uint32_t i = 0; i < latest.slots; i++)
        if (latest.of[i] != 0)
            latest.of[count++] = latest.of[i];
    return sets_of(latest.of, count);
}

void readers_free(uint32_t reads)
{
    while (reads != 0) {
        struct readers *v = readers_at(reads);
        uint32_t older = v->older;
        v->generation = (v->generation + 1) | NARROW_TAG;
        for (uint32_t i = 0, length = length_of(reads); i < length; i++)
            store_release(readers_entry(reads, i), v->generation);
        slab_give(&slabs[readers_class(reads)], readers_index(reads));
        reads = older;
    }
}

uint32_t readers_live(void)
{
    uint32_t live = 0;
    for (unsigned i = 0; i < READERS_CLASSES; i++)
        live += slab_live(&slabs[i]);
    return live;
}
