/* Numbers by numbers: a hash table that only grows. */
#pragma once

#include "base/mem.h"

struct map {
    struct map_entry {
        uint64_t key;
        uint32_t value; /* 0: nothing is here */
    } * entry;
    size_t capacity, count; /* a power of two, at most half full */
};

/* The place of a key's value, for the caller to fill in if it is 0 (and never to make 0 again). Valid until
 * the next call. */
uint32_t *map_at(struct map *map, struct mem *mem, uint64_t key);

/* Keys are numbered from 0 on, as they come: for tables of what belongs to few of many possible numbers. Of a
 * map that is used for this alone. */
uint32_t map_number(struct map *map, struct mem *mem, uint64_t key);

/* 0: it has none; of a numbered key, its number + 1. */
uint32_t map_get(const struct map *map, uint64_t key);

void map_free(struct map *map, struct mem *mem);
