/* What a Goldilocks lockset can contain (004 §2.2), numbered densely from 1 in order of first use: threads,
 * locks (as writers release them), locks (as readers release them), volatiles, barrier rounds.
 *
 * A lock is two elements because a reader's release is ordered before later writers only.
 */
#pragma once

#include "detect/detector.h"

enum element_class {
    ELEMENT_THREAD,
    ELEMENT_LOCK,
    ELEMENT_READERS,
    ELEMENT_VOLATILE,
    ELEMENT_ROUND,
    ELEMENT_CLASSES
};

struct elements {
    uint32_t *number[ELEMENT_CLASSES]; /* by id of the class; 0: never used */
    size_t capacity[ELEMENT_CLASSES];
    uint32_t count; /* the highest number */
};

static inline void elements_extend(struct elements *elements, struct mem *mem, const struct extent *extent)
{
    const uint32_t need[ELEMENT_CLASSES] = {[ELEMENT_THREAD] = extent->threads,
                                            [ELEMENT_LOCK] = extent->locks,
                                            [ELEMENT_READERS] = extent->locks,
                                            [ELEMENT_VOLATILE] = extent->volatiles,
                                            [ELEMENT_ROUND] = extent->rounds};
    for (size_t i = 0; i < ELEMENT_CLASSES; i++)
        elements->number[i] = mem_reserve(mem, elements->number[i], sizeof *elements->number[i],
                                          &elements->capacity[i], need[i]);
}

static inline void elements_free(struct elements *elements, struct mem *mem)
{
    for (size_t i = 0; i < ELEMENT_CLASSES; i++)
        mem_free(mem, elements->number[i], elements->capacity[i] * sizeof *elements->number[i]);
}

/* 0 where the element was never used: then it is in no lockset. */
static inline uint32_t elements_find(const struct elements *elements, enum element_class class, uint32_t id)
{
    return elements->number[class][id];
}

static inline uint32_t elements_get(struct elements *elements, enum element_class class, uint32_t id)
{
    uint32_t *number = &elements->number[class][id];
    if (*number == 0) {
        require(elements->count < UINT32_MAX);
        *number = ++elements->count;
    }
    return *number;
}
