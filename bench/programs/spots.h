/* What SharedSpot and LocalSpot (004) have in common: arithmetic on integers, each of which has a lock of its own. */
#pragma once

#include "program.h"

enum { SPOTS = 1024 };

struct spot {
    pthread_mutex_t lock;
    uint64_t value;
};

static struct spot *spots;
static uint64_t *added; /* by each thread, to all spots together */

static inline void spots_begin(void)
{
    spots = program_memory(SPOTS, sizeof *spots);
    added = program_memory(threads, sizeof *added);
    for (unsigned i = 0; i < SPOTS; i++)
        pthread_mutex_init(&spots[i].lock, NULL);
}

/* Returns what is added to the spot. */
static inline uint64_t spot_update(struct spot *spot, uint32_t random)
{
    uint64_t amount = random >> 16;
    pthread_mutex_lock(&spot->lock);
    if (random >> 10 & 1)
        spot->value += 2 * amount;
    else
        spot->value -= amount;
    pthread_mutex_unlock(&spot->lock);
    return random >> 10 & 1 ? 2 * amount : -amount;
}
