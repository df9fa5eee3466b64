/* An open-addressing table in shards, each with its lock. Deleting moves later entries of the probe sequence
 * back, so that there are no tombstones and a table that stays the same size stays as fast. */
#include "runtime/heap.h"

enum { SHARDS = 64, FIRST_CAPACITY = 256 };

static struct shard {
    struct spin lock;
    size_t count, capacity; /* at most half full */
    struct heap_block *block;
} shards[SHARDS];

static uint64_t hash_of(uintptr_t address)
{
    return (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct shard *shard_of(uintptr_t address)
{
    return &shards[hash_of(address) >> 58];
}

static size_t home_of(const struct shard *s, uintptr_t address)
{
    return hash_of(address) >> 20 & (s->capacity - 1);
}

static size_t find(const struct shard *s, uintptr_t address)
{
    size_t i = home_of(s, address);
    while (s->block[i].address != 0 && s->block[i].address != address)
        i = (i + 1) & (s->capacity - 1);
    return i;
}

static void grow(struct shard *s)
{
    struct shard old = *s;
    s->capacity = old.capacity == 0 ? FIRST_CAPACITY : 2 * old.capacity;
    s->block = arena_pages(s->capacity * sizeof *s->block);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.block[i].address != 0)
            s->block[find(s, old.block[i].address)] = old.block[i];
    if (old.block != NULL)
        arena_pages_free(old.block, old.capacity * sizeof *old.block);
}

void heap_add(const struct heap_block *block)
{
    struct shard *s = shard_of(block->address);
    spin_lock(&s->lock);
    if (2 * (s->count + 1) > s->capacity)
        grow(s);
    size_t i = find(s, block->address);
    s->count += s->block[i].address == 0;
    s->block[i] = *block;
    spin_unlock(&s->lock);
}

static void remove_at(struct shard *s, size_t hole)
{
    size_t mask = s->capacity - 1;
    for (size_t i = (hole + 1) & mask; s->block[i].address != 0; i = (i + 1) & mask) {
        size_t home = home_of(s, s->block[i].address);
        if (((i - home) & mask) >= ((i - hole) & mask)) { /* the hole lies on its way from home */
            s->block[hole] = s->block[i];
            hole = i;
        }
    }
    s->block[hole].address = 0;
    s->count--;
}

bool heap_remove(uintptr_t address, struct heap_block *block)
{
    struct shard *s = shard_of(address);
    bool found = false;
    spin_lock(&s->lock);
    if (s->capacity > 0) {
        size_t i = find(s, address);
        found = s->block[i].address != 0;
        if (found) {
            *block = s->block[i];
            remove_at(s, i);
        }
    }
    spin_unlock(&s->lock);
    return found;
}

bool heap_containing(uintptr_t address, struct heap_block *block)
{
    for (size_t k = 0; k < SHARDS; k++) {
        struct shard *s = &shards[k];
        bool found = false;
        spin_lock(&s->lock);
        for (size_t i = 0; i < s->capacity && !found; i++) {
            found = s->block[i].address != 0 && address - s->block[i].address < s->block[i].size;
            if (found)
                *block = s->block[i];
        }
        spin_unlock(&s->lock);
        if (found)
            return true;
    }
    return false;
}
