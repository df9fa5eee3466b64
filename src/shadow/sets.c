/* The table of all sets. Finding and adding happen under one lock; a set, once it has an index, never changes,
 * so readers need none. Sets are looked up only when a thread's memo misses. */
#include "shadow/sets.h"

#include "base/blocks.h"
#include "base/count.h"

struct set {
    uint32_t count, hash;
    uint32_t next;  /* in its bucket: an index, or 0 */
    uint32_t sweep; /* the last one that came across it, */
    uint32_t to;    /* and what it is after that: a half */
    uint32_t epoch[];
};

/* What an index stands for. */
struct place {
    uint32_t free_link; /* base/arena.h */
    struct set *set;    /* NULL: free */
};

enum { BUCKETS = 1 << 16, FEW = 256 };

static struct spin lock;
static struct blocks memory;
static uint32_t bucket[BUCKETS];
static struct slab places = {.object = sizeof(struct place)};
static uint32_t sweep; /* the number of the current or last one */

static struct place *place_at(uint32_t half)
{
    return slab_at(&places, half & ~NARROW_TAG);
}

static struct set *set_at(uint32_t half)
{
    return place_at(half)->set;
}

static size_t size_of(uint32_t count)
{
    return sizeof(struct set) + count * sizeof(uint32_t);
}

/* Room to put a set together: the caller's own for few entries, one that all share for more. */
struct draft {
    uint32_t *entry;
    uint32_t few[FEW];
};

static struct spin draft_lock;

static void draft_begin(struct draft *d, uint32_t most)
{
    static uint32_t *large;
    d->entry = d->few;
    if (likely(most <= FEW))
        return;
    spin_lock(&draft_lock);
    if (large == NULL)
        large = arena_pages(2 * MOST_SLOTS * sizeof *large);
    d->entry = large;
}

static void draft_end(const struct draft *d)
{
    if (unlikely(d->entry != d->few))
        spin_unlock(&draft_lock);
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

/* The half of these epochs, which are ascending and of different slots. *make: whether to make a set that does not exist;
 * then, whether one was made. */
static uint32_t intern(const uint32_t *entry, uint32_t count, bool *make)
{
    bool may = *make;
    *make = false;
    if (count == 1)
        return entry[0];
    uint32_t hash = hash_of(entry, count), *head = &bucket[hash % BUCKETS];
    spin_lock(&lock);
    uint32_t index = *head;
    while (index != 0 && !same(set_at(index), entry, count, hash))
        index = set_at(index)->next;
    if (index == 0 && may) {
        *make = true;
        struct set *set = blocks_take(&memory, size_of(count));
        *set = (struct set){.count = count, .hash = hash, .next = *head};
        for (uint32_t i = 0; i < count; i++)
            set->epoch[i] = entry[i];
        index = slab_take(&places);
        store_release(&place_at(index)->set, set);
        *head = index;
    }
    spin_unlock(&lock);
    return index != 0 ? NARROW_TAG | index : 0;
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

static uint32_t with_slow(uint32_t reads, uint32_t now, const uint32_t *clock, bool *make)
{
    struct draft draft;
    uint32_t old_count, count = 0;
    const uint32_t *old = entries(&reads, &old_count);
    bool placed = false;
    draft_begin(&draft, old_count + 1);
    for (uint32_t i = 0; i < old_count; i++) {
        if (half_before(old[i], clock))
            continue; /* its own earlier read among them */
        if (!placed && now < old[i]) {
            draft.entry[count++] = now;
            placed = true;
        }
        draft.entry[count++] = old[i];
    }
    if (!placed)
        draft.entry[count++] = now;
    uint32_t with = intern(draft.entry, count, make);
    draft_end(&draft);
    return with;
}

/* Crowds of thousands come here in no order: gaps of 1, 4, 13 ... */
static void sort(uint32_t *half, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t moved = half[i], place = i;
            for (; place >= gap && half[place - gap] > moved; place -= gap)
                half[place] = half[place - gap];
            half[place] = moved;
        }
}

/* In the right order; of two epochs that are of one slot, the later one. */
static uint32_t put_in_order(uint32_t *entry, uint32_t count)
{
    uint32_t kept = 0;
    sort(entry, count);
    for (uint32_t i = 0; i < count; i++) {
        kept -= kept > 0 && half_slot(entry[kept - 1]) == half_slot(entry[i]);
        entry[kept++] = entry[i];
    }
    return kept;
}

uint32_t sets_joined(uint32_t reads, const uint32_t *half, uint32_t count)
{
    struct draft draft;
    uint32_t old_count;
    const uint32_t *old = entries(&reads, &old_count);
    if (old_count + count == 0)
        return 0;
    draft_begin(&draft, old_count + count);
    for (uint32_t i = 0; i < old_count; i++)
        draft.entry[i] = old[i];
    for (uint32_t i = 0; i < count; i++)
        draft.entry[old_count + i] = half[i];
    bool make = true;
    uint32_t set = intern(draft.entry, put_in_order(draft.entry, old_count + count), &make);
    draft_end(&draft);
    return set;
}

uint32_t sets_of(const uint32_t *half, uint32_t count)
{
    return sets_joined(0, half, count);
}

static uint32_t with(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo, bool make)
{
    /* The answer depends on the clock too; but a clock that grows within an epoch only allows to drop more. */
    unsigned slot = set_memo_slot(reads);
    uint32_t to = sets_known_with(reads, now, memo);
    count(READ_SETS);
    if (to != 0)
        return to;
    to = with_slow(reads, now, clock, &make);
    if (make)
        memo->churn += CHURN_NEW_SET;
    else
        set_memo_served(memo, to != 0);
    if (to == 0)
        return 0;
    memo->with[slot].from = reads;
    memo->with[slot].now = now;
    memo->with[slot].to = to;
    return to;
}

uint32_t sets_with(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo)
{
    return with(reads, now, clock, memo, true);
}

uint32_t sets_with_old(uint32_t reads, uint32_t now, const uint32_t *clock, struct set_memo *memo)
{
    bool make = memo->churn < SETS_CHURN_LIMIT;
    uint32_t to = sets_known_with(reads, now, memo);
    if (to != 0 || (!make && ++memo->asked % CHURN_LOOK_AFTER != 0))
        return to;
    return with(reads, now, clock, memo, make);
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

/* --- sweeping --- */

void sets_sweep_begin(bool renaming)
{
    sweep++;
    for (uint32_t i = 0; renaming && i < BUCKETS; i++)
        bucket[i] = 0; /* whatever is interned from now on is a new one */
}

static uint32_t without_ordered(const struct set *set, const uint32_t *known, uint32_t (*map)(uint32_t half))
{
    struct draft draft;
    uint32_t count = 0;
    draft_begin(&draft, set->count);
    for (uint32_t i = 0; i < set->count; i++)
        if (!half_before(set->epoch[i], known))
            draft.entry[count++] = map != NULL ? map(set->epoch[i]) : set->epoch[i];
    if (map != NULL)
        count = put_in_order(draft.entry, count);
    bool make = true;
    uint32_t left = count == 0 ? 0 : intern(draft.entry, count, &make);
    draft_end(&draft);
    return left;
}

uint32_t sets_swept(uint32_t half, const uint32_t *known, uint32_t (*map)(uint32_t half))
{
    struct set *set = set_at(half);
    if (likely(set->sweep == sweep))
        return set->to;
    uint32_t to = without_ordered(set, known, map);
    set->sweep = sweep;
    set->to = to;
    if (to & NARROW_TAG) { /* in use, whoever else names it */
        set_at(to)->sweep = sweep;
        set_at(to)->to = to;
    }
    return to;
}

static void note_lowest(const struct set *set, uint32_t *lowest)
{
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t half = set->epoch[i], *slot = &lowest[half_slot(half)];
        *slot = half < *slot ? half : *slot;
    }
}

void sets_sweep_end(uint32_t *lowest)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        bucket[i] = 0;
    for (uint32_t index = 1; index <= places.used; index++) {
        struct set *set = set_at(index);
        if (set == NULL)
            continue;
        if (set->sweep == sweep && set->to == (NARROW_TAG | index)) {
            set->next = bucket[set->hash % BUCKETS];
            bucket[set->hash % BUCKETS] = index;
            note_lowest(set, lowest);
        } else {
            place_at(index)->set = NULL;
            blocks_give(&memory, set, size_of(set->count));
            slab_give(&places, index);
        }
    }
}

uint32_t sets_live(void)
{
    return slab_live(&places);
}
