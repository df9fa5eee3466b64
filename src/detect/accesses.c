#include "detect/accesses.h"

#include <string.h>

enum { KEPT_CAPACITY = 64 }; /* a larger set does not wait in the pool */

static void set_capacity(struct accesses *a, struct access_sets *sets, uint32_t capacity)
{
    a->entry =
        mem_resize(&sets->host->mem, a->entry, a->capacity * sizeof *a->entry, capacity * sizeof *a->entry);
    sets->bytes += (capacity - a->capacity) * sizeof *a->entry;
    a->capacity = capacity;
}

void accesses_insert(struct accesses *a, struct access_sets *sets, uint32_t at, uint32_t slot)
{
    if (a->length == a->capacity)
        set_capacity(a, sets, a->capacity < 2 ? 2 : a->capacity * 2);
    memmove(a->entry + at + 1, a->entry + at, (a->length - at) * sizeof *a->entry);
    a->entry[at].slot = slot;
    a->length++;
}

void accesses_copy(struct accesses *to, const struct accesses *from, struct access_sets *sets)
{
    if (from->length == 0)
        return;
    if (to->capacity < from->length)
        set_capacity(to, sets, from->length);
    memcpy(to->entry, from->entry, from->length * sizeof *to->entry);
    to->length = from->length;
}

void accesses_free(struct accesses *a, struct access_sets *sets)
{
    sets->bytes -= a->capacity * sizeof *a->entry;
    mem_free(&sets->host->mem, a->entry, a->capacity * sizeof *a->entry);
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
    if (sets->set[index].capacity > KEPT_CAPACITY)
        accesses_free(&sets->set[index], sets);
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
