/* Random feasible traces, racy and race-free ones both common, the same for the same options everywhere.
 *
 * The first thread starts alone; every other thread is forked by one that runs, and some are joined: the
 * trace is a closed world. Where the discipline is kept there is no race, and the order comes from every kind
 * of synchronization, not from locks alone (generate.c says how). Knobs are percentages unless they say
 * otherwise.
 */
#pragma once

#include "base/base.h"
#include "base/problem.h"
#include "trace/event.h"
#include "trace/names.h"

/* option, default, what it means. One list for the struct, the command line and its help. */
#define GENERATE_OPTIONS(X)                                                                                  \
    X(seed, 1, "random seed: the same seed gives the same trace")                                            \
    X(threads, 4, "number of threads, at least 1")                                                           \
    X(locks, 3, "number of locks")                                                                           \
    X(vars, 8, "number of variables, at least 1")                                                            \
    X(events, 100, "number of events, exactly; what is open after the last one is left open")                \
    X(volatiles, 1, "number of volatile variables")                                                          \
    X(barriers, 1, "number of barriers")                                                                     \
    X(live, 0, "most threads alive at a time; 0: all of them")                                               \
    X(discipline, 98, "% of accesses that are ordered with all others to the variable; at 100 no race")      \
    X(sharing, 60, "% of disciplined accesses to variables behind locks or read by all, not to owned ones")  \
    X(writes, 40, "% of accesses that write, where writing is allowed")                                      \
    X(repeat, 30, "% of disciplined accesses that go to the same variable again")                            \
    X(readers, 20, "% of critical sections that only read and take the lock for reading")                    \
    X(reentrant, 10, "% of acquires followed by a nested acquire of the same lock")                          \
    X(sync, 25, "% of steps that synchronize rather than access")                                            \
    X(allocs, 2, "% of steps outside critical sections that allocate a variable anew")                       \
    X(joins, 50, "% of threads that are joined once they end")                                               \
    X(switches, 50, "% of steps after which another thread may run")

struct generate_options {
#define X(name, value, help) uint64_t name;
    GENERATE_OPTIONS(X)
#undef X
};

extern const struct generate_options generate_defaults;

/* False when an option is out of range; problem->reason says which. */
bool generate_check(const struct generate_options *options, struct problem *problem);

struct generator;

/* The options must pass generate_check. Names T0.., L0.., V0.., A0.. (volatiles), B0.. are interned into
 * names as they come into use. Memory depends on the numbers of threads, locks, variables ..., not of events.
 */
struct generator *generator_new(const struct generate_options *options, struct names *names);
void generator_free(struct generator *generator);

/* Fills in up to `most` events; 0 at the end of the trace. Locations are event numbers modulo 1000: short,
 * and different enough that a report can be found in the trace. */
size_t generator_next(struct generator *generator, struct event *events, size_t most);
