/* What structures and regimes have in common: random numbers, and the work a thread does on memory of its own. */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "program.h"

enum { BUDGET = 1 << 24 }; /* accesses of all threads together, unless the command line says otherwise */

/* How many operations each thread makes. */
static size_t operations(void)
{
    size_t each = size / THREADS / (LENGTH + PRIVATE);
    return each > 0 ? each : 1;
}

static uint32_t below(uint32_t *state, uint32_t limit)
{
    return (uint32_t)((uint64_t)random_next(state) * limit >> 32);
}

/* What the compiler must not leave out. */
static _Thread_local uint64_t sink;

/* What a function computes for itself, between the accesses to what is shared. */
static __attribute__((noinline)) void private_work(uint32_t *state)
{
    static _Thread_local uint32_t own[1024];
    unsigned at = below(state, 1024);
    for (unsigned i = 0; i < PRIVATE; i++) {
        own[at] += i;
        at = (at * 5 + 1) & 1023;
    }
    sink += own[at];
}

static uint32_t seed_of(unsigned thread)
{
    return (thread + 1) * 2654435761u | 1;
}
