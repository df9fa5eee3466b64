/* Builds a trace in memory from calls, with numbered names (T0, L0, V0 ...), for tests too large or too
 * regular to write down. */
#pragma once

#include "detect/detectors.h"
#include "replay/replay.h"

struct script {
    struct names names;
    uint32_t *id_plus_1[NAME_CLASSES]; /* by number: 0 where it has no name yet */
    size_t id_capacity[NAME_CLASSES];
    struct event *event;
    size_t count, capacity;
    struct mem mem;
};

void script_init(struct script *script);
void script_free(struct script *script);

/* Appends an event; target is a number in the op's class, and need not be dense: names are given in order. */
void script_add(struct script *script, uint32_t thread, enum op op, uint32_t target);

/* Runs a detector over the script, which must be feasible. replay_free afterwards. */
void script_run(const struct script *script, const struct detector *detector, bool closed_world,
                struct replay *replay);

/* Whether two runs found the same (variable, second event) set. */
bool script_same_races(const struct replay *a, const struct replay *b);

/* The number of the second access of the race on V<variable>, 0 where there is none. */
uint64_t script_second(const struct script *script, const struct replay *replay, uint32_t variable);
