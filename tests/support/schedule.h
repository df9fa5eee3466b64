/* Schedules of simulated threads, one step at a time: made at random, run through a world (the code under test),
 * judged by the definition of a race, shrunk and printed when the world is wrong.
 *
 * The judge: for every pair of steps, is there a direct edge? Closed transitively, that is happens-before:
 *   any two steps of one thread
 *   RELEASE and PUBLISH of an object to a later ACQUIRE of it, unless a RELEASE (which replaces what was there)
 *   or a FORGET stands in between
 *   LEARN(u): every earlier step of u
 *   FORK(u) to the steps of u; the steps of u to JOIN(u)
 * An access races at a byte if an earlier access to the byte since it was last cleared is unordered with it and
 * conflicts: two plain ones of which one writes; an atomic and a plain one of which one writes; never two atomics.
 *
 * What is asked of the world, after every access:
 *   - it tells a race if a byte races at which there was no race before (FastTrack2's promise is the first race of
 *     every location; bytes that have raced are *tainted*);
 *   - whatever it tells is true: the byte is in the access, and an access of that kind in that epoch races with it;
 *   - if no byte of the access is tainted, the byte it names is the first that races.
 */
#pragma once

#include <stdio.h>

#include "shadow/access.h"

enum { MOST_STEPS = 256, MOST_THREADS = 64, MOST_OBJECTS = 4, MOST_BYTES = 256, WHY_BYTES = 200 };

#define STEP_OPS(X)                                                                                           \
    X(ACCESS)                                                                                                 \
    X(CLEAR)                                                                                                  \
    X(ACQUIRE)                                                                                                \
    X(RELEASE)                                                                                                \
    X(PUBLISH)                                                                                                \
    X(FORGET)                                                                                                 \
    X(LEARN)                                                                                                  \
    X(TICK)                                                                                                   \
    X(FORK)                                                                                                   \
    X(END)                                                                                                    \
    X(JOIN)

enum step_op {
#define X(op) STEP_##op,
    STEP_OPS(X)
#undef X
};

struct step {
    uint8_t thread, op;
    uint8_t kind;  /* ACCESS: enum access_kind */
    bool entry;    /* ACCESS: through the compiler's entry point, if there is one for it */
    uint16_t at;   /* ACCESS, CLEAR: first byte; sync: the object; LEARN, FORK, JOIN: the other thread */
    uint16_t size; /* ACCESS, CLEAR */
};

struct schedule {
    unsigned threads; /* that exist from the start: 0 .. threads - 1 */
    size_t count;
    struct step step[MOST_STEPS];
};

struct schedule_options {
    uint64_t seed;
    bool lives; /* threads are forked, end and are joined, instead of LEARN and TICK */
};

/* The code under test. */
struct world {
    void (*begin)(const struct schedule *schedule);
    /* Makes the step; for an access, *when is the epoch that it was made in, and *found what was found. */
    void (*step)(const struct step *step, uint32_t *when, struct race_found *found);
    /* NULL, or what is wrong at the end. */
    const char *(*end)(const struct schedule *schedule);
    uintptr_t base; /* address of byte 0 */
};

void schedule_make(struct schedule *schedule, const struct schedule_options *options);

/* False, and why, if the world is wrong. */
bool schedule_check(const struct schedule *schedule, const struct world *world, char why[WHY_BYTES],
                    uint64_t *races);

/* Takes steps out as long as the world stays wrong. */
void schedule_shrink(struct schedule *schedule, const struct world *world);

void schedule_print(const struct schedule *schedule, FILE *out);
