#include "shadow/crowd.h"

enum { FIRST_ROOM = 16 };
_Static_assert(SLAB_INDEX_BITS <= 30, "an index and two tag bits fit half a word");

struct slab crowd_slab = {.object = sizeof(struct crowd)};
static struct arena memory;

static bool same_slot(uint32_t a, uint32_t b)
{
    return half_slot(a) == half_slot(b);
}

/* Before an access of the thread with this clock is added, which stands for those that it is ordered after.
 */
static void drop_ordered(struct crowd *crowd, const uint32_t *clock)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < crowd->count; i++)
        if (!half_before(crowd->entry[i], clock))
            store_relaxed(&crowd->entry[kept++], crowd->entry[i]);
    store_release(&crowd->count, kept);
}

/* Somebody may be reading the old entries: they stay where they are. */
cold_path static void grow(struct crowd *crowd)
{
    uint32_t room = crowd->room == 0 ? FIRST_ROOM : 2 * crowd->room;
    uint32_t *entry = arena_take(&memory, room * sizeof *entry);
    for (uint32_t i = 0; i < crowd->count; i++)
        entry[i] = crowd->entry[i];
    store_release(&crowd->entry, entry);
    crowd->room = room;
}

static void append(struct crowd *crowd, uint32_t half)
{
    if (unlikely(crowd->count == crowd->room))
        grow(crowd);
    store_relaxed(&crowd->entry[crowd->count], half);
    store_release(&crowd->count, crowd->count + 1);
}

cold_path static uint32_t gather(uint32_t part, uint32_t bytes, uint32_t now, const uint32_t *clock)
{
    if (sets_first_unordered(part, clock) == 0)
        return now;
    uint32_t index = slab_take(&crowd_slab);
    struct crowd *crowd = slab_at(&crowd_slab, index);
    crowd->bytes = bytes;
    crowd->before = part;
    store_release(&crowd->count, 0);
    append(crowd, now);
    return CROWD_TAG | index;
}

uint32_t crowd_with(uint32_t part, uint32_t bytes, uint32_t now, const uint32_t *clock)
{
    if (unlikely(!is_crowd(part)))
        return gather(part, bytes, now, clock);
    struct crowd *crowd = crowd_at(part);
    uint32_t *mine = crowd_entry(crowd, now);
    if (likely(mine != NULL)) {
        store_relaxed(mine, now);
        return part;
    }
    if (crowd->count == crowd->room)
        drop_ordered(crowd, clock);
    append(crowd, now);
    return part;
}

uint32_t crowd_intern(uint32_t part)
{
    const struct crowd *crowd = crowd_at(part);
    uint32_t set = sets_joined(crowd->before, crowd->entry, crowd->count);
    crowd_free(part);
    return set;
}

/* Epochs may be of one slot now: the later one stands for both. */
static void rename_entries(struct crowd *crowd, uint32_t (*map)(uint32_t half))
{
    uint32_t kept = 0;
    for (uint32_t i = 0, k; i < crowd->count; i++) {
        uint32_t half = map(crowd->entry[i]);
        for (k = 0; k < kept && !same_slot(crowd->entry[k], half); k++) {
        }
        crowd->entry[k] = k < kept && crowd->entry[k] > half ? crowd->entry[k] : half;
        kept += k == kept;
    }
    store_release(&crowd->count, kept);
}

void crowd_drop_known(uint32_t part, const uint32_t *known, uint32_t (*map)(uint32_t half))
{
    struct crowd *crowd = crowd_at(part);
    drop_ordered(crowd, known);
    if (map != NULL)
        rename_entries(crowd, map);
}

void crowd_free(uint32_t part)
{
    slab_give(&crowd_slab, part & ~CROWD_TAG);
}
