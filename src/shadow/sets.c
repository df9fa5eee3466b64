/* The table of all sets. Finding and adding happen under one lock; a set, once it has an index, never changes,
 * so readers need none. Sets are looked up only when a thread's memo misses. */
#include "shadow/sets.h"

#include "base/arena.h"

struct set {
    uint32_t count, hash;
    uint32_t next; /* in its bucket: an index, or 0 */
    uint32_t epoch[];
};

enum { BUCKETS = 1 << 16 };

static struct spin lock;
static struct arena memory;
static uint32_t bucket[BUCKETS];
static struct slab pointers = {.object = sizeof(struct set *)}; /* by index */

static const struct set *set_at(uint32_t half)
{
    return *(struct set **)slab_at(&pointers, half & ~NARROW_TAG);
}

static uint32_t hash_of(const uint32_t *entry, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ entry[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static bool same(const struct set *set, const uint32_t *entry, uint32_t count, uint32_t hash)
{
    if (set->hash != hash || set->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (set->epoch[i] != entry[i])
            return false;
    return true;
}

/* The half of these epochs, which are ascending and of different slots. */
static uint32_t intern(const uint32_t *entry, uint32_t count)
{
    if (count == 1)
        return entry[0];
    uint32_t hash = hash_of(entry, count), *head = &bucket[hash % BUCKETS];
    spin_lock(&lock);
    uint32_t index = *head;
    while (index != 0 && !same(set_at(index), entry, count, hash))
        index = set_at(index)->next;
    if (index == 0) {
        struct set *set = arena_take(&memory, sizeof *set + count * sizeof *entry);
        set->count = count;
        set->hash = hash;
        set->next = *head;
        for (uint32_t i = 0; i < count; i++)
            set->epoch[i] = entry[i];
        index = slab_take(&pointers);
        store_release((struct set **)slab_at(&pointers, index), set);
        *head = index;
    }
    spin_unlock(&lock);
    return NARROW_TAG | index;
}

static const uint32_t *entries(const uint32_t *reads, uint32_t *count)
{
    if (!(*reads & NARROW_TAG)) {
        *count = *reads != 0;
        return reads;
    }
    const struct set *set = set_at(*reads);
    *count = set->count;
    return set->epoch;
}

static uint32_t with_slow(uint32_t reads, uint32_t now, const uint32_t *clock)
{
    uint32_t old_count, count = 0, result[NARROW_SLOTS];
    const uint32_t *old = entries(&reads, &old_count);
    bool placed = false;
    for (uint32_t i = 0; i < old_count; i++) {
        if (half_before(old[i], clock))
            continue; /* its own earlier read among them */
        if (!placed && now < old[i]) {
            result[count++] = now;
            placed = true;
        }
        result[count++] = old[i];
    }
    if (!placed)
        result[count++] = now;
    return intern(result, count);
}

uint32_t sets_of(const uint32_t *half, uint32_t count)
{
    uint32_t sorted[NARROW_SLOTS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i;
        for (; place > 0 && sorted[place - 1] > half[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = half[i];
    }
    return count == 0 ? 0 : intern(sorted, count);
}

uint32_t sets_with(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo)
{
    /* The answer depends on the clock too; but a clock that grows within an epoch only allows to drop more. */
    unsigned slot = set_memo_slot(reads);
    uint32_t to = sets_known_with(reads, now, memo);
    if (to != 0)
        return to;
    to = with_slow(reads, now, clock);
    memo->with[slot].from = reads;
    memo->with[slot].now = now;
    memo->with[slot].to = to;
    return to;
}

uint32_t sets_first_unordered(uint32_t reads, const uint32_t *clock)
{
    uint32_t count;
    const uint32_t *entry = entries(&reads, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!half_before(entry[i], clock))
            return entry[i];
    return 0;
}

void sets_visit(uint32_t reads, void (*visit)(uint32_t epoch, void *to), void *to)
{
    uint32_t count;
    const uint32_t *entry = entries(&reads, &count);
    for (uint32_t i = 0; i < count; i++)
        visit(entry[i], to);
}
