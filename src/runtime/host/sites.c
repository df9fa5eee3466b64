#include "runtime/host/sites.h"

#include <string.h>

#include "runtime/host/held.h"

enum { SHORT = 16, FIRST_CAPACITY = 1 << 12 };

static struct slab slab = {.object = sizeof(struct site)};
static uint32_t *table; /* open addressing, at most half full */
static size_t capacity, count;

static bool is_short(const struct site *s)
{
    return s->size <= SHORT && !s->is_free;
}

static uint64_t hash_of(const struct site *s)
{
    uint64_t h =
        s->pc ^ (uint64_t)s->node << 40 ^ (uint64_t)s->thread << 20 ^ s->kind ^ (uint64_t)s->held << 8;
    h = (h ^ s->start * UINT64_C(0xa0761d6478bd642f) ^ s->size << 50) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static bool same(const struct site *a, const struct site *b)
{
    return a->pc == b->pc && a->start == b->start && a->size == b->size && a->node == b->node &&
           a->thread == b->thread && a->kind == b->kind && a->held == b->held && a->is_free == b->is_free;
}

/* Its bucket, or the one that it belongs into. */
static uint32_t *bucket_of(const struct site *s)
{
    size_t i = hash_of(s) & (capacity - 1);
    while (table[i] != 0 && !same(sites_at(table[i]), s))
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static cold_path void grow(void)
{
    uint32_t *old = table;
    size_t old_capacity = capacity;
    capacity = old_capacity == 0 ? FIRST_CAPACITY : 2 * old_capacity;
    table = mem_alloc(events_mem, capacity * sizeof *table);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != 0)
            *bucket_of(sites_at(old[i])) = old[i];
    mem_free(events_mem, old, old_capacity * sizeof *old);
}

uint32_t sites_number(struct thread *t, uint32_t node, const struct race_access_live *a)
{
    struct site s = {.pc = a->pc,
                     .start = a->address,
                     .size = a->size,
                     .node = node,
                     .thread = t->id,
                     .held = held_number(t),
                     .kind = (uint8_t)a->kind,
                     .is_free = a->is_free};
    if (is_short(&s))
        s.start %= SHORT;
    if (unlikely(2 * (count + 1) > capacity))
        grow();
    uint32_t *bucket = bucket_of(&s);
    if (*bucket == 0) {
        *bucket = slab_take(&slab);
        *(struct site *)slab_at(&slab, *bucket) = s;
        count++;
    }
    return *bucket;
}

const struct site *sites_at(uint32_t number)
{
    return slab_at(&slab, number);
}

void sites_tell(const struct site *s, uintptr_t byte, struct access_site *told)
{
    *told = (struct access_site){
        .pc = s->pc,
        .node = s->node,
        .kind = s->kind,
        .is_free = s->is_free,
        .held_known = true,
        .held_changes = s->held,
        .address = is_short(s) ? byte - ((byte - s->start) % SHORT) : s->start,
        .size = s->size,
    };
}
