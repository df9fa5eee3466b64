/* Merging: the retired slots of one thread become one.
 *
 * A thread that releases millions of times uses up one slot after the other, and as long as another thread has not
 * synchronized with it, old accesses in each of them matter. But few of the clocks do: only where some vector clock
 * ends does it matter whether an epoch is before or after.
 *
 *   cuts of slot s    the entries for s in all vector clocks, beyond what all threads know
 *   rank of an epoch  the number of cuts of its slot that are lower: epochs between two cuts are alike to everybody
 *
 * Renaming epochs and entries by rank keeps all comparisons: entry x knows epoch c iff c ≤ x iff rank(c) ≤ rank(x).
 * Slots that a thread had one after the other are a chain: who knows anything of a later one knows all of the earlier
 * ones, since it learned of it from the thread, which did. So their ranks can follow each other in one slot. An entry
 * of the merged slot is that of the latest slot that it knows anything of.
 */
#include "runtime/history.h"
#include "runtime/slot_table.h"
#include "runtime/sync.h"
#include "shadow/sweep.h"

/* By slot: */
static uint32_t *base_of;   /* the new name of its rank 0; 0: it is not merged */
static uint32_t *first_cut; /* index of its first cut */

static uint32_t *chain, chain_length; /* slots to merge, by owner and age; then only those that are */
static uint32_t *group;               /* by place in the chain: where its group ends */

static void prepare(void)
{
    if (base_of == NULL) {
        base_of = arena_pages(MOST_SLOTS * sizeof *base_of);
        first_cut = arena_pages(MOST_SLOTS * sizeof *first_cut);
        chain = arena_pages(MOST_SLOTS * sizeof *chain);
        group = arena_pages(MOST_SLOTS * sizeof *group);
    }
    for (uint32_t s = 0; s < thread_slots; s++)
        base_of[s] = 0;
}

/* --- which --- */

static bool comes_before(uint32_t a, uint32_t b)
{
    const struct slot *x = &slot_table.slot[a], *y = &slot_table.slot[b];
    if (x->owner != y->owner)
        return x->owner->id < y->owner->id;
    return x->since != y->since ? x->since < y->since : a < b;
}

static void sort_chain(void)
{
    for (uint32_t gap = chain_length / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < chain_length; i++) {
            uint32_t moved = chain[i], place = i;
            for (; place >= gap && comes_before(moved, chain[place - gap]); place -= gap)
                chain[place] = chain[place - gap];
            chain[place] = moved;
        }
}

static bool same_owner(uint32_t i, uint32_t k)
{
    return k < chain_length && slot_table.slot[chain[i]].owner == slot_table.slot[chain[k]].owner;
}

/* Retired slots of threads that have at least two. */
static void find_chains(void)
{
    uint32_t kept = 0;
    chain_length = 0;
    for (uint32_t s = 0; s < thread_slots; s++)
        if (slot_table.slot[s].state == SLOT_RETIRED)
            chain[chain_length++] = s;
    sort_chain();
    for (uint32_t i = 0, end; i < chain_length; i = end) {
        for (end = i + 1; same_owner(i, end); end++) {
        }
        for (uint32_t k = i; end - i > 1 && k < end; k++)
            chain[kept++] = chain[k];
    }
    chain_length = kept;
}

/* --- cuts --- */

static uint32_t *cut, cut_count, cut_room; /* a hash set, then a sorted list */

static void add_cut(uint32_t half);

static void grow_cuts(void)
{
    uint32_t *old = cut, room = cut_room;
    cut_room = room == 0 ? 1 << 16 : 4 * room;
    cut = arena_pages(cut_room * sizeof *cut);
    cut_count = 0;
    for (uint32_t i = 0; i < room; i++)
        if (old[i] != 0)
            add_cut(old[i]);
    if (room > 0)
        arena_pages_free(old, room * sizeof *old);
}

static void add_cut(uint32_t half)
{
    if (2 * cut_count >= cut_room)
        grow_cuts();
    uint32_t i = half * UINT32_C(0x9e3779b1) & (cut_room - 1);
    while (cut[i] != 0 && cut[i] != half)
        i = (i + 1) & (cut_room - 1);
    cut_count += cut[i] == 0;
    cut[i] = half;
}

static void collect_vector(uint32_t *clock, uint32_t length)
{
    for (uint32_t i = 0; i < chain_length; i++) {
        uint32_t s = chain[i];
        if (s < length && clock[s] > slot_known[s])
            add_cut(clock[s]);
    }
}

static void collect_mailbox(struct mailbox *m)
{
    collect_vector(m->clock, m->length);
}

static void sort_cuts(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cut_room; i++)
        if (cut[i] != 0)
            cut[count++] = cut[i];
    for (uint32_t gap = count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t moved = cut[i], place = i;
            for (; place >= gap && cut[place - gap] > moved; place -= gap)
                cut[place] = cut[place - gap];
            cut[place] = moved;
        }
}

/* How many are lower. */
static uint32_t cuts_below(uint32_t half)
{
    uint32_t low = 0, high = cut_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cut[middle] < half)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- new names --- */

/* Of an epoch that not all know. */
static uint32_t renamed(uint32_t half)
{
    if (half == 0 || half & NARROW_TAG)
        return half;
    uint32_t slot = half_slot(half);
    return base_of[slot] == 0 ? half : base_of[slot] + cuts_below(half) - first_cut[slot];
}

/* Ranks that the slot's epochs may have. */
static uint32_t ranks_of(uint32_t slot)
{
    return cuts_below(half_last(slot) + 1) - first_cut[slot] + 1;
}

/* As many as fit one slot; false when that is only the first of them. */
static bool form_group(uint32_t from, uint32_t *end)
{
    uint32_t room = 1u << half_bits, used = 1, target = chain[from]; /* clock 0 of slot 0 is no epoch */
    uint32_t k = from;
    for (; k == from || same_owner(from, k); k++) {
        first_cut[chain[k]] = cuts_below(half_first(chain[k]));
        if (used + ranks_of(chain[k]) > room)
            break;
        used += ranks_of(chain[k]);
        target = chain[k] < target ? chain[k] : target;
    }
    *end = k > from ? k : from + 1;
    if (k - from < 2)
        return false;
    used = 1;
    for (uint32_t i = from; i < k; used += ranks_of(chain[i]), i++)
        base_of[chain[i]] = half_first(target) + used;
    return true;
}

static bool form_groups(void)
{
    uint32_t kept = 0;
    for (uint32_t from = 0, end; from < chain_length; from = end) {
        bool formed = form_group(from, &end);
        uint32_t length = end - from;
        for (uint32_t i = 0; formed && i < length; i++) {
            chain[kept + i] = chain[from + i];
            group[kept + i] = kept + length;
        }
        kept += formed ? length : 0;
    }
    chain_length = kept;
    return kept > 0;
}

/* --- renaming --- */

static uint32_t target_of(uint32_t i)
{
    return half_slot(base_of[chain[i]]);
}

static void rename_vector(uint32_t *clock, uint32_t length)
{
    for (uint32_t i = 0; i < chain_length;) {
        uint32_t entry = 0, target = target_of(i);
        for (uint32_t end = group[i]; i < end; i++) {
            uint32_t s = chain[i];
            if (s >= length)
                continue;
            if (clock[s] > slot_known[s])
                entry = renamed(clock[s]); /* of the latest */
            clock[s] = 0;
        }
        if (target < length)
            clock[target] = entry;
    }
}

static epoch renamed_snapshot(epoch snapshot)
{
    uint32_t half = epoch_clock(snapshot);
    if (epoch_is_none(snapshot) || base_of[half_slot(half)] == 0)
        return snapshot;
    return half_before(half, slot_known) ? (epoch){0} : epoch_of_live(renamed(half));
}

static void rename_mailbox(struct mailbox *m)
{
    rename_vector(m->clock, m->length);
    m->snapshot = renamed_snapshot(m->snapshot);
}

/* For histories: what all know cannot be asked for any more, and must not be taken for something else. */
static uint32_t renamed_or_none(uint32_t half)
{
    if (half == 0 || half & NARROW_TAG || base_of[half_slot(half)] == 0)
        return half;
    return half_before(half, slot_known) ? 0 : renamed(half);
}

static void rename_uses(struct sync **list)
{
    for (struct sync *s = *list; s != NULL; s = s->next)
        s->used.epoch = renamed_or_none(s->used.epoch);
}

static void rename_slots(void)
{
    for (uint32_t i = 0; i < chain_length;) {
        uint32_t target = target_of(i), last = group[i] - 1;
        struct slot *t = &slot_table.slot[target];
        t->since = slot_table.slot[chain[i]].since;
        t->first = half_first(target);
        t->last = base_of[chain[last]] + ranks_of(chain[last]) - 1;
        for (; i <= last; i++)
            if (chain[i] != target)
                slot_free_retired(chain[i]);
    }
}

static void rename_all(void)
{
    for (uint32_t s = 0; s < thread_slots; s++)
        slot_lowest[s] = UINT32_MAX;
    sweep_shadow(&(struct sweep){slot_known, slot_lowest, renamed, sync_lost});
    slot_each_clock(&(struct each_clock){rename_vector, rename_mailbox, rename_uses});
    for (struct thread *t = registry.all; t != NULL; t = t->next) {
        t->fenced.snapshot = renamed_snapshot(t->fenced.snapshot);
        history_rename(t, renamed_or_none);
        actor_forget(&t->actor);
    }
    rename_slots();
}

bool slot_merge(void)
{
    prepare();
    find_chains();
    if (chain_length == 0)
        return false;
    cut_count = 0;
    for (uint32_t i = 0; i < cut_room; i++)
        cut[i] = 0;
    slot_each_clock(&(struct each_clock){collect_vector, collect_mailbox, NULL});
    sort_cuts();
    bool some = form_groups();
    if (some)
        rename_all();
    return some;
}
