#include "base/map.h"

enum { FIRST_CAPACITY = 64 };

static struct map_entry *bucket_of(const struct map *map, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash ^ hash >> 32) & (map->capacity - 1);
    while (map->entry[i].value != 0 && map->entry[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->entry[i];
}

static void grow(struct map *map, struct mem *mem)
{
    struct map old = *map;
    map->capacity = old.capacity == 0 ? FIRST_CAPACITY : 2 * old.capacity;
    map->entry = mem_alloc(mem, map->capacity * sizeof *map->entry);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entry[i].value != 0)
            *bucket_of(map, old.entry[i].key) = old.entry[i];
    map_free(&old, mem);
}

uint32_t *map_at(struct map *map, struct mem *mem, uint64_t key)
{
    if (2 * (map->count + 1) > map->capacity)
        grow(map, mem);
    struct map_entry *e = bucket_of(map, key);
    map->count += e->value == 0; /* the caller fills it in */
    e->key = key;
    return &e->value;
}

uint32_t map_number(struct map *map, struct mem *mem, uint64_t key)
{
    uint32_t *value = map_at(map, mem, key);
    if (*value == 0)
        *value = (uint32_t)map->count;
    return *value - 1;
}

uint32_t map_get(const struct map *map, uint64_t key)
{
    return map->capacity == 0 ? 0 : bucket_of(map, key)->value;
}

void map_free(struct map *map, struct mem *mem)
{
    mem_free(mem, map->entry, map->capacity * sizeof *map->entry);
    *map = (struct map){0};
}
