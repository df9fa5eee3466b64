#include "detect/accesses.h"

#include <string.h>

static size_t block_bytes(uint32_t capacity)
{
    return capacity * (sizeof(uint64_t) + sizeof(uint32_t));
}

static void grow(struct accesses *a, struct access_sets *sets, uint32_t slots)
{
    uint32_t capacity = a->capacity < 2 ? 2 : a->capacity;
    while (capacity < slots)
        capacity *= 2;
    char *block = mem_alloc(&sets->host->mem, block_bytes(capacity));
    struct accesses grown = {.event = (uint64_t *)block,
                             .clock = (uint32_t *)(block + capacity * sizeof(uint64_t)),
                             .length = a->length,
                             .capacity = capacity};
    if (a->length > 0) {
        memcpy(grown.event, a->event, a->length * sizeof *a->event);
        memcpy(grown.clock, a->clock, a->length * sizeof *a->clock);
    }
    accesses_free(a, sets);
    sets->bytes += block_bytes(capacity);
    *a = grown;
}

void accesses_reach(struct accesses *a, struct access_sets *sets, uint32_t slot)
{
    if (slot >= a->capacity)
        grow(a, sets, slot + 1);
    memset(a->clock + a->length, 0, (slot + 1 - a->length) * sizeof *a->clock);
    a->length = slot + 1;
}

void accesses_free(struct accesses *a, struct access_sets *sets)
{
    sets->bytes -= block_bytes(a->capacity);
    mem_free(&sets->host->mem, a->event, block_bytes(a->capacity));
    *a = (struct accesses){0};
}

uint32_t access_sets_new(struct access_sets *sets)
{
    if (sets->free_count > 0)
        return sets->free[--sets->free_count];
    require(sets->count < (size_t)1 << ACCESS_SET_INDEX_BITS);
    sets->set = mem_reserve(&sets->host->mem, sets->set, sizeof *sets->set, &sets->capacity, sets->count + 1);
    return (uint32_t)sets->count++;
}

void access_sets_drop(struct access_sets *sets, uint32_t index)
{
    accesses_clear(&sets->set[index]);
    sets->free = mem_reserve(&sets->host->mem, sets->free, sizeof *sets->free, &sets->free_capacity,
                             sets->free_count + 1);
    sets->free[sets->free_count++] = index;
}

void access_sets_free(struct access_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        accesses_free(&sets->set[i], sets);
    mem_free(&sets->host->mem, sets->set, sets->capacity * sizeof *sets->set);
    mem_free(&sets->host->mem, sets->free, sets->free_capacity * sizeof *sets->free);
}
