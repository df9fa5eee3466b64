/* Post-mortem analysis: drives one detector over a trace and collects the races.
 *
 * Two layers. `struct replay` takes events in memory, block by block: check, then detect. `analyze_trace`
 * wraps it for a trace file: reads, replays, shows progress, and looks up in a second pass who the first
 * access of each race was (detectors remember its event number only, which keeps their state small).
 */
#pragma once

#include "base/problem.h"
#include "detect/detectors.h"
#include "report/race.h"
#include "trace/feasible.h"
#include "trace/names.h"

struct replay_options {
    bool all;          /* every pair that the detector saw, not only the first race of each variable */
    bool count_rules;  /* for --stats */
    bool closed_world; /* trace/reader.h */
};

struct replay {
    struct host host;
    const struct detector *detector;
    void *state; /* the detector's */
    const struct names *names;
    struct feasible *feasible;
    struct replay_options options;
    uint64_t events;   /* good events so far */
    struct race *race; /* in the order found */
    size_t race_count, race_capacity;
    uint64_t *racy; /* one bit a variable: has a race been kept? */
    size_t racy_capacity;
    struct mem mem; /* of the race list, not of the detector */
};

/* names: the tables that the events' ids come from; they may grow between calls of replay_feed. */
void replay_init(struct replay *replay, const struct detector *detector, const struct names *names,
                 const struct replay_options *options);
void replay_free(struct replay *replay);

/* Checks the events (changing them in place, trace/feasible.h) and feeds the good ones to the detector.
 * Returns how many were good; less than count means the next one is infeasible, problem->reason says why. */
size_t replay_feed(struct replay *replay, struct event *events, size_t count, struct problem *problem);
