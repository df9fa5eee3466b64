/* Traces written down in a test: one line an event, `T(1, acq, 0)` is "thread 1 acquires L0". */
#pragma once

#include "support/script.h"

struct step {
    uint32_t thread;
    enum op op;
    uint32_t target;
};

#define r    OP_READ
#define w    OP_WRITE
#define acq  OP_ACQUIRE
#define rel  OP_RELEASE
#define racq OP_READ_ACQUIRE
#define rrel OP_READ_RELEASE
#define vr   OP_VREAD
#define vw   OP_VWRITE
#define bin  OP_BARRIER_IN
#define bout OP_BARRIER_OUT
#define T(thread, op, target)                                                                                \
    {                                                                                                        \
        thread, op, target                                                                                   \
    }

/* The number of the second access of the race on V<variable>, 0 where the detector finds none. The race
 * itself goes to *race, unless that is NULL. */
static uint64_t second_of(const struct step *step, size_t count, const struct detector *detector, bool closed,
                          uint32_t variable, struct race *race)
{
    struct script script;
    struct replay replay;
    script_init(&script);
    for (size_t i = 0; i < count; i++)
        script_add(&script, step[i].thread, step[i].op, step[i].target);
    script_run(&script, detector, closed, &replay);
    uint64_t second = script_second(&script, &replay, variable);
    for (size_t i = 0; race != NULL && i < replay.race_count; i++)
        if (replay.race[i].second.event == second)
            *race = replay.race[i];
    replay_free(&replay);
    script_free(&script);
    return second;
}
