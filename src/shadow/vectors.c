#include "shadow/vectors.h"

#include "base/count.h"

struct slab vector_slab = {.object = sizeof(struct vector)};
uint32_t *vector_row[VECTOR_MOST_SLOTS];

/* The highest slot that has a row, and 1. A row is there, and this has grown, before an entry of it is looked
 * at, by a full fence; whoever takes a vector away looks at it later. So either that one sees the entry's
 * row, or the entry's thread sees that the vector is not where it was. */
static uint32_t slots;

cold_path uint32_t *vector_make_row(uint32_t slot)
{
    const size_t size = sizeof **vector_row << VECTOR_INDEX_BITS;
    uint32_t *none = NULL, *made = arena_sparse(size, true), seen = load_relaxed(&slots);
    cas_acq_rel(&vector_row[slot], &none, made); /* if another is there, it costs room and no memory */
    while (seen <= slot && !cas_acq_rel(&slots, &seen, slot + 1)) {
    }
    return load_acquire(&vector_row[slot]);
}

/* The entry of this slot; NULL: nobody is there. */
static uint32_t *entry_of(uint32_t part, uint32_t slot)
{
    uint32_t *row = load_acquire(&vector_row[slot]);
    return row != NULL ? &row[vector_index(part)] : NULL;
}

bool vector_may_take(void)
{
    enum { AT_ONCE = 1 << 16 }; /* threads that have asked and not taken yet are fewer */
    return load_relaxed(&vector_slab.used) < (1u << VECTOR_INDEX_BITS) - AT_ONCE;
}

uint32_t vector_new(uint32_t before, uint32_t now, uint32_t bytes)
{
    uint32_t part = VECTOR_TAG | slab_take(&vector_slab);
    struct vector *v = vector_at(part);
    count(READ_SETS);
    v->before = before;
    v->bytes = bytes;
    store_relaxed(vector_entry(part, now), now);
    return part;
}

uint32_t vector_first_unordered(uint32_t part, const uint32_t *clock)
{
    for (uint32_t slot = 0, end = load_acquire(&slots); slot < end; slot++) {
        const uint32_t *entry = entry_of(part, slot);
        uint32_t half = entry != NULL ? load_relaxed(entry) : 0;
        if (vector_entry_used(half) && !half_before(half, clock))
            return half;
    }
    return sets_first_unordered(vector_at(part)->before, clock);
}

uint32_t vector_intern(uint32_t part)
{
    uint32_t there[VECTOR_MOST_SLOTS], count = 0;
    for (uint32_t slot = 0, end = load_acquire(&slots); slot < end; slot++) {
        const uint32_t *entry = entry_of(part, slot);
        uint32_t half = entry != NULL ? load_relaxed(entry) : 0;
        if (vector_entry_used(half))
            there[count++] = half;
    }
    return sets_joined(vector_at(part)->before, there, count);
}

void vector_free(uint32_t part)
{
    struct vector *v = vector_at(part);
    v->generation = (v->generation + 1) | NARROW_TAG;
    for (uint32_t slot = 0, end = load_acquire(&slots); slot < end; slot++) {
        uint32_t *entry = entry_of(part, slot);
        if (entry != NULL)
            store_release(entry, v->generation);
    }
    slab_give(&vector_slab, vector_index(part));
}

uint32_t vector_live(void)
{
    return slab_live(&vector_slab);
}
