#include "clock/lockset.h"

#include <string.h>

enum { FIRST_BUCKETS = 64, FIRST_CROWDED = 1024, MEMO_ENTRIES = 4096 };

enum operation { NOTHING, WITH, WITHOUT, COMMON };

/* operation(a, b) = result, where b is an id or a set. A direct-mapped cache: newer answers replace older. */
struct lockset_memo {
    uint32_t operation, a, b, result;
};

/* --- the table --- */

void locksets_init(struct locksets *table, struct mem *mem)
{
    *table = (struct locksets){.mem = mem, .crowded_at = FIRST_CROWDED, .bucket_mask = FIRST_BUCKETS - 1};
    table->bucket = mem_alloc(mem, FIRST_BUCKETS * sizeof *table->bucket);
    table->memo = mem_alloc(mem, MEMO_ENTRIES * sizeof *table->memo);
    table->entry = mem_reserve(mem, NULL, sizeof *table->entry, &table->entry_capacity, 1);
    table->entries = 1; /* the empty set, in no bucket */
}

static void free_ids(struct locksets *table, struct lockset_entry *entry)
{
    mem_free(table->mem, entry->id, entry->count * sizeof *entry->id);
    entry->id = NULL;
    entry->count = 0;
}

void locksets_free(struct locksets *table)
{
    for (size_t i = 0; i < table->entries; i++)
        free_ids(table, &table->entry[i]);
    mem_free(table->mem, table->entry, table->entry_capacity * sizeof *table->entry);
    mem_free(table->mem, table->bucket, (table->bucket_mask + 1) * sizeof *table->bucket);
    mem_free(table->mem, table->scratch, table->scratch_capacity * sizeof *table->scratch);
    mem_free(table->mem, table->memo, MEMO_ENTRIES * sizeof *table->memo);
}

static uint32_t hash_of(const uint32_t *id, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ id[i]) * UINT64_C(0x9E3779B97F4A7C15), hash ^= hash >> 29;
    return (uint32_t)hash;
}

static void link_entry(struct locksets *table, uint32_t index)
{
    struct lockset_entry *entry = &table->entry[index];
    uint32_t *bucket = &table->bucket[entry->hash & table->bucket_mask];
    entry->next = *bucket;
    *bucket = index;
}

/* Rebuilds all buckets, as many as asked for, from the live entries. */
static void link_all(struct locksets *table, size_t buckets)
{
    size_t before = (table->bucket_mask + 1) * sizeof *table->bucket;
    table->bucket = mem_resize(table->mem, table->bucket, before, buckets * sizeof *table->bucket);
    memset(table->bucket, 0, buckets * sizeof *table->bucket);
    table->bucket_mask = buckets - 1;
    for (size_t i = 1; i < table->entries; i++)
        if (table->entry[i].count > 0)
            link_entry(table, (uint32_t)i);
}

static uint32_t new_entry(struct locksets *table)
{
    if (table->free != 0) {
        uint32_t index = table->free;
        table->free = table->entry[index].next;
        return index;
    }
    require(table->entries < UINT32_MAX);
    table->entry = mem_reserve(table->mem, table->entry, sizeof *table->entry, &table->entry_capacity,
                               table->entries + 1);
    return (uint32_t)table->entries++;
}

/* The handle of the set in scratch[0, count). */
static uint32_t intern(struct locksets *table, size_t count)
{
    if (count == 0)
        return 0;
    uint32_t hash = hash_of(table->scratch, count);
    size_t size = count * sizeof *table->scratch;
    for (uint32_t i = table->bucket[hash & table->bucket_mask]; i != 0; i = table->entry[i].next) {
        const struct lockset_entry *e = &table->entry[i];
        if (e->hash == hash && e->count == count && memcmp(e->id, table->scratch, size) == 0)
            return i;
    }
    uint32_t index = new_entry(table);
    struct lockset_entry *entry = &table->entry[index];
    *entry = (struct lockset_entry){.count = (uint32_t)count, .hash = hash};
    entry->id = mem_alloc(table->mem, size);
    memcpy(entry->id, table->scratch, size);
    if (++table->live > table->bucket_mask)
        link_all(table, 2 * (table->bucket_mask + 1));
    else
        link_entry(table, index);
    return index;
}

void locksets_sweep(struct locksets *table)
{
    for (size_t i = 1; i < table->entries; i++) {
        struct lockset_entry *entry = &table->entry[i];
        if (entry->count > 0 && !entry->marked) {
            free_ids(table, entry);
            entry->next = table->free;
            table->free = (uint32_t)i;
            table->live--;
        }
        entry->marked = false;
    }
    link_all(table, table->bucket_mask + 1);
    memset(table->memo, 0, MEMO_ENTRIES * sizeof *table->memo);
    table->crowded_at = 2 * table->live > FIRST_CROWDED ? 2 * table->live : FIRST_CROWDED;
}

/* --- operations --- */

/* Where the operation's result is, or will be. */
static struct lockset_memo *memo_of(struct locksets *table, enum operation operation, uint32_t a, uint32_t b)
{
    uint32_t hash = (a * UINT32_C(0x9E3779B1) ^ b) * UINT32_C(0x85EBCA6B) + operation;
    return &table->memo[(hash ^ hash >> 15) % MEMO_ENTRIES];
}

static bool remembers(const struct lockset_memo *memo, enum operation operation, uint32_t a, uint32_t b)
{
    return memo->operation == operation && memo->a == a && memo->b == b;
}

/* Where id is in the set, or belongs. */
static size_t place_of(const struct lockset_entry *set, uint32_t id)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct lockset_entry *set, size_t place, uint32_t id)
{
    return place < set->count && set->id[place] == id;
}

bool lockset_has(const struct locksets *table, lockset set, uint32_t id)
{
    const struct lockset_entry *entry = &table->entry[set.index];
    return is_at(entry, place_of(entry, id), id);
}

/* Copies ids [from, to) of a set to the scratch set; returns how many. */
static size_t copy_ids(struct locksets *table, size_t at, const struct lockset_entry *set, size_t from,
                       size_t to)
{
    if (from < to)
        memcpy(table->scratch + at, set->id + from, (to - from) * sizeof *set->id);
    return to - from;
}

static size_t compute(struct locksets *table, enum operation operation, uint32_t a, uint32_t b)
{
    const struct lockset_entry *set = &table->entry[a];
    table->scratch = mem_reserve(table->mem, table->scratch, sizeof *table->scratch, &table->scratch_capacity,
                                 (size_t)set->count + 1);
    size_t count = 0;
    if (operation == COMMON) {
        const struct lockset_entry *other = &table->entry[b];
        for (size_t i = 0, j = 0; i < set->count && j < other->count;) {
            if (set->id[i] == other->id[j])
                table->scratch[count++] = set->id[i];
            uint32_t id = set->id[i];
            i += id <= other->id[j];
            j += other->id[j] <= id;
        }
        return count;
    }
    size_t place = place_of(set, b), rest = place + is_at(set, place, b);
    count = copy_ids(table, 0, set, 0, place);
    if (operation == WITH)
        table->scratch[count++] = b;
    return count + copy_ids(table, count, set, rest, set->count);
}

static lockset operate(struct locksets *table, enum operation operation, uint32_t a, uint32_t b)
{
    struct lockset_memo *memo = memo_of(table, operation, a, b);
    if (!remembers(memo, operation, a, b)) {
        uint32_t result = intern(table, compute(table, operation, a, b));
        *memo = (struct lockset_memo){.operation = operation, .a = a, .b = b, .result = result};
    }
    return (lockset){memo->result};
}

lockset lockset_with(struct locksets *table, lockset set, uint32_t id)
{
    return operate(table, WITH, set.index, id);
}

lockset lockset_without(struct locksets *table, lockset set, uint32_t id)
{
    return operate(table, WITHOUT, set.index, id);
}

lockset lockset_common(struct locksets *table, lockset a, lockset b)
{
    if (lockset_same(a, b) || lockset_is_empty(a))
        return a;
    return a.index < b.index ? operate(table, COMMON, a.index, b.index)
                             : operate(table, COMMON, b.index, a.index);
}

/* --- invariants --- */

static bool is_ascending(const struct lockset_entry *set)
{
    for (size_t i = 1; i < set->count; i++)
        if (set->id[i - 1] >= set->id[i])
            return false;
    return true;
}

static bool is_interned_once(const struct locksets *table, uint32_t index)
{
    const struct lockset_entry *set = &table->entry[index];
    size_t found = 0;
    for (uint32_t i = table->bucket[set->hash & table->bucket_mask]; i != 0; i = table->entry[i].next) {
        const struct lockset_entry *e = &table->entry[i];
        found += e->count == set->count && memcmp(e->id, set->id, set->count * sizeof *set->id) == 0;
    }
    return found == 1;
}

bool locksets_valid(const struct locksets *table)
{
    size_t live = 0;
    for (size_t i = 1; i < table->entries; i++) {
        if (table->entry[i].count == 0)
            continue;
        live++;
        if (!is_ascending(&table->entry[i]) || !is_interned_once(table, (uint32_t)i))
            return false;
    }
    for (size_t i = 0; i < MEMO_ENTRIES; i++) {
        uint32_t result = table->memo[i].result;
        if (table->memo[i].operation != NOTHING && result != 0 && table->entry[result].count == 0)
            return false;
    }
    return live == table->live && table->entry[0].count == 0 && live <= table->bucket_mask + 1;
}
