#include "shadow/vectors.h"

#include "base/count.h"

struct slab vector_slab = {.object = sizeof(struct vector)};
uint32_t *vector_row[VECTOR_MOST_SLOTS];

#define NOBODYS                                                                                              \
    UINT32_MAX /* `bytes` of a vector that is free: who finds it by a stale index may look at the rest */

/* The highest slot that has a row, and 1. A row exists, and this has grown, before the slot's bit is set. */
static uint32_t rows;

cold_path uint32_t *vector_make_row(uint32_t slot)
{
    const size_t size = sizeof **vector_row << VECTOR_INDEX_BITS;
    uint32_t *none = NULL, *made = arena_sparse(size, true), seen = load_relaxed(&rows);
    cas_acq_rel(&vector_row[slot], &none, made); /* if another thread was faster, this costs address space */
    while (seen <= slot && !cas_acq_rel(&rows, &seen, slot + 1)) {
    }
    return load_acquire(&vector_row[slot]);
}

bool vector_may_take(void)
{
    enum { AT_ONCE = 1 << 16 }; /* fewer threads have asked and not taken yet */
    return load_relaxed(&vector_slab.used) < (1u << VECTOR_INDEX_BITS) - AT_ONCE;
}

uint32_t vector_new(uint32_t before, uint32_t now, uint32_t bytes)
{
    uint32_t part = VECTOR_TAG | slab_take(&vector_slab);
    struct vector *v = vector_at(part);
    uint32_t *entry = vector_entry(part, now);
    count(READ_SETS);
    v->before = before;
    v->bytes = bytes;
    vector_mark(part, now);
    store_relaxed(entry, now);
    return part;
}

/* Calls visit(entry) for the entries of all slots whose bits are set, until it returns false. */
hot_inline void each_entry(uint32_t part, bool (*visit)(uint32_t *entry, void *to), void *to)
{
    uint32_t end = load_acquire(&rows), index = vector_index(part);
    for (uint64_t left = load_acquire(&vector_at(part)->slots); left != 0; left &= left - 1)
        for (uint32_t slot = (uint32_t)__builtin_ctzl(left); slot < end; slot += 64) {
            uint32_t *row = load_acquire(&vector_row[slot]);
            if (row != NULL && !visit(&row[index], to))
                return;
        }
}

struct search {
    const uint32_t *clock;
    uint32_t found;
};

hot_inline bool is_ordered(uint32_t *entry, void *to)
{
    struct search *search = to;
    uint32_t half = load_relaxed(entry);
    if (vector_entry_used(half) && !half_before(half, search->clock))
        search->found = half;
    return search->found == 0;
}

uint32_t vector_first_unordered(uint32_t part, const uint32_t *clock)
{
    struct search search = {clock, 0};
    each_entry(part, is_ordered, &search);
    return search.found != 0 ? search.found : sets_first_unordered(vector_at(part)->before, clock);
}

struct list {
    uint32_t count, half[VECTOR_MOST_SLOTS];
};

hot_inline bool append(uint32_t *entry, void *to)
{
    struct list *list = to;
    uint32_t half = load_relaxed(entry);
    if (vector_entry_used(half))
        list->half[list->count++] = half;
    return true;
}

uint32_t vector_intern(uint32_t part)
{
    struct list list;
    list.count = 0;
    each_entry(part, append, &list);
    return sets_joined(vector_at(part)->before, list.half, list.count);
}

hot_inline bool forget(uint32_t *entry, void *to)
{
    const struct vector *v = to;
    store_release(entry, v->generation);
    return true;
}

void vector_free(uint32_t part)
{
    struct vector *v = vector_at(part);
    v->generation = (v->generation + 1) | NARROW_TAG;
    each_entry(part, forget, v);
    v->bytes = NOBODYS;
    slab_give(&vector_slab, vector_index(part));
}

void vectors_collect(void)
{
    for (uint32_t index = 1; index <= vector_slab.used; index++) {
        struct vector *v = slab_at(&vector_slab, index);
        if (v->bytes != NOBODYS)
            vector_free(VECTOR_TAG | index);
        v->slots = 0;
    }
}

uint32_t vector_live(void)
{
    return slab_live(&vector_slab);
}
