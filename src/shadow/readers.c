#include "shadow/readers.h"

#define OF_LENGTH(n)                                                                                         \
    {                                                                                                        \
        .object = sizeof(struct readers) + (n) * sizeof(uint32_t)                                            \
    }
const uint32_t readers_room[READERS_CLASSES] = {12, 28, 60, 252, READERS_MOST_SLOTS};
struct slab readers_slabs[READERS_CLASSES] = {OF_LENGTH(12), OF_LENGTH(28), OF_LENGTH(60), OF_LENGTH(252),
                                              OF_LENGTH(READERS_MOST_SLOTS)};
static uint32_t highest; /* slot that was ever wanted: new vectors have room for it */

/* With room for this slot; its entries say so that nobody has read. */
static uint32_t take(uint32_t slot, uint32_t older, uint32_t before)
{
    unsigned class = 0;
    if (slot > load_relaxed(&highest))
        store_relaxed(&highest, slot);
    while (readers_room[class] <= load_relaxed(&highest))
        class ++;
    uint32_t index = slab_take(&readers_slabs[class]);
    while (unlikely(index >
                    READERS_INDEX_MASK)) /* a class that is used up: 2^27 of the longest are more than any memory */
        index = slab_take(&readers_slabs[++class]);
    struct readers *v = slab_at(&readers_slabs[class], index);
    if (unlikely(v->generation == 0)) { /* never used before */
        v->generation = NARROW_TAG;
        for (uint32_t i = 0; i < readers_room[class]; i++)
            store_relaxed(&v->entry[i], NARROW_TAG);
    }
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

static void enter(uint32_t half, struct readers *v)
{
    store_relaxed(&v->entry[half_slot(half)], half);
}

uint32_t readers_new(uint32_t reads, const struct actor *t)
{
    uint32_t made = take(half_slot(t->now), 0, reads);
    enter(t->now, readers_at(made));
    return made;
}

/* The word's vector has no room for the thread's slot. */
cold_path static enum readers_answer lengthen(uint64_t *word, uint64_t seen, const struct actor *t)
{
    uint32_t longer = take(half_slot(t->now), read_half(seen), 0);
    enter(t->now, readers_at(longer));
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
    uint32_t *mine = &readers_at(reads)->entry[slot], old = load_acquire(mine);
    if (old == t->now)
        return READERS_KNOWN;
    if (unlikely(load_acquire(word) != seen) || unlikely(!cas_acq_rel(mine, &old, t->now)))
        return READERS_AGAIN;
    return likely(load_acquire(word) == seen) ? READERS_ADDED : READERS_AGAIN;
}

uint32_t readers_first_unordered(uint32_t reads, const uint32_t *clock)
{
    for (; reads != 0; reads = readers_at(reads)->older) {
        const struct readers *v = readers_at(reads);
        for (uint32_t i = 0; i < readers_room[readers_class(reads)]; i++) {
            uint32_t half = load_relaxed(&v->entry[i]);
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
        for (uint32_t i = 0; i < readers_room[readers_class(reads)]; i++) {
            uint32_t half = load_relaxed(&v->entry[i]);
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
        uint32_t older = v->older, class = readers_class(reads);
        v->generation = (v->generation + 1) | NARROW_TAG;
        for (uint32_t i = 0; i < readers_room[class]; i++)
            store_release(&v->entry[i], v->generation);
        slab_give(&readers_slabs[class], reads & READERS_INDEX_MASK);
        reads = older;
    }
}

uint32_t readers_live(void)
{
    uint32_t live = 0;
    for (unsigned i = 0; i < READERS_CLASSES; i++)
        live += load_relaxed(&readers_slabs[i].live);
    return live;
}
