/* An open-addressing table in shards, each with its lock. Deleting moves later entries of the probe sequence
 * back, so that there are no tombstones and a table that stays the same size stays as fast.
 *
 * Each shard also keeps the last blocks that were given back, under the same lock. Addresses are spread evenly,
 * so how many came after one in its shard says how long ago that was, in any shard. */
#include "runtime/heap.h"

#include "runtime/world.h"

enum { SHARDS = 64, FIRST_CAPACITY = 256, RECENT = 64 };

static struct shard {
    struct spin lock;
    size_t count, capacity; /* at most half full */
    struct heap_block *block;
    size_t ended; /* blocks ever given back; the last is recent[(ended - 1) % RECENT] */
    struct heap_ended recent[RECENT];
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
    size_t capacity = s->capacity;
    struct heap_block *old = s->block;
    s->capacity = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    s->block = arena_pages(s->capacity * sizeof *s->block);
    for (size_t i = 0; i < capacity; i++)
        if (old[i].address != 0)
            s->block[find(s, old[i].address)] = old[i];
    if (old != NULL)
        arena_pages_free(old, capacity * sizeof *old);
}

/* Nobody has the lock when another thread forks. */
static struct shard *lock_shard(uintptr_t address)
{
    struct shard *s = shard_of(address);
    world_enter(thread_self);
    spin_lock(&s->lock);
    return s;
}

static void unlock_shard(struct shard *s)
{
    spin_unlock(&s->lock);
    world_leave(thread_self);
}

void heap_add(const struct heap_block *block)
{
    struct shard *s = lock_shard(block->address);
    if (2 * (s->count + 1) > s->capacity)
        grow(s);
    size_t i = find(s, block->address);
    s->count += s->block[i].address == 0;
    s->block[i] = *block;
    unlock_shard(s);
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

bool heap_remove(uintptr_t address, const struct heap_end *end, struct heap_block *block)
{
    struct shard *s = lock_shard(address);
    bool found = false;
    if (s->capacity > 0) {
        size_t i = find(s, address);
        found = s->block[i].address != 0;
        if (found) {
            *block = s->block[i];
            remove_at(s, i);
            if (end->pc != 0)
                s->recent[s->ended++ % RECENT] = (struct heap_ended){*block, *end};
        }
    }
    unlock_shard(s);
    return found;
}

bool heap_grow(uintptr_t address, size_t size, size_t *before)
{
    struct shard *s = lock_shard(address);
    bool grows = false;
    if (s->capacity > 0) {
        struct heap_block *block = &s->block[find(s, address)];
        grows = block->address != 0 && block->size < size;
        if (grows) {
            *before = block->size;
            block->size = size;
        }
    }
    unlock_shard(s);
    return grows;
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

/* The latest in this shard that was given back less than `age` others ago; returns its age, or `age`. */
static size_t latest_in(struct shard *s, uintptr_t address, bool exactly, size_t age, struct heap_ended *ended)
{
    spin_lock(&s->lock);
    for (size_t i = 0; i < age && i < s->ended; i++) {
        const struct heap_ended *e = &s->recent[(s->ended - 1 - i) % RECENT];
        if (exactly ? address == e->block.address : address - e->block.address < e->block.size) {
            *ended = *e;
            age = i;
        }
    }
    spin_unlock(&s->lock);
    return age;
}

bool heap_ended(uintptr_t address, bool exactly, struct heap_ended *ended)
{
    size_t age = RECENT;
    if (exactly)
        return latest_in(shard_of(address), address, true, age, ended) < RECENT;
    for (size_t k = 0; k < SHARDS; k++)
        age = latest_in(&shards[k], address, false, age, ended);
    return age < RECENT;
}
