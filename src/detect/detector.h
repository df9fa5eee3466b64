/* What a detector is, and what it may ask of its host.
 *
 * A detector is one file. It defines its state, its rules as small functions over plain values, its hooks
 * (on_read, on_write, on_alloc, on_sync, on_start) and stamps out its entry points with DETECTOR() of detect/drive.h.
 * It sees feasible events only, with re-entrancy and barrier rounds resolved (trace/feasible.h), and ids
 * below the extent that it was last told.
 *
 * First race: a detector reports whatever its rules find and goes on as if the access had been ordered; the
 * host keeps the first race of each variable (or all of them). So a detector needs no "already racy" state.
 */
#pragma once

#include "base/mem.h"
#include "report/race.h"
#include "trace/event.h"

/* How many ids of each class there are so far. */
struct extent {
    uint32_t threads, variables, locks, volatiles, rounds;
};

struct host {
    struct mem mem;    /* everything a detector keeps is charged here */
    bool count_rules;  /* --stats: count how often each rule fires */
    bool closed_world; /* every thread but the first is forked: nobody can appear out of nothing. May end */
    struct extent extent;
    /* The block being processed: events[0] has number first. */
    const struct event *events;
    uint64_t first;
    void (*found)(void *to, const struct race *race);
    void *to;
};

/* A race between an earlier access (known by its event number) and the current one. */
void host_race(struct host *host, enum race_kind kind, uint32_t variable, uint64_t earlier, uint64_t current);

struct rule_count {
    const char *rule; /* as the paper calls it */
    bool same_epoch;  /* a fast path that leaves the state alone */
    uint64_t fired;
};

struct detector_stats {
    const struct rule_count *rules;
    size_t rule_count;
    uint64_t max_clock;    /* highest clock of any thread; 0 where a detector has none */
    size_t variable_bytes; /* kept for variables now */
    size_t sync_bytes;     /* kept for threads, locks and other synchronization now */
    uint64_t sync_events;  /* seen */
    uint64_t read_shared;  /* variables that hold more than one reader now */
    char note[160];        /* anything else worth a line; "" if nothing */
};

/* Fills in what a detector's rules did: the table with its counters, in `counted` (the caller's). */
void stats_rules(struct detector_stats *out, const struct rule_count *table, const uint64_t *fired,
                 struct rule_count *counted, size_t rules);

struct detector {
    const char *name;
    const char *source;  /* which paper */
    const char *promise; /* one line for `photofinish detectors` */
    bool precise;
    void *(*create)(struct host *host);
    /* Ids up to host->extent may now occur. Called before a block that has new ones. */
    void (*extend)(void *self);
    void (*block)(void *self, const struct event *events, size_t count, uint64_t first);
    /* The variable `to`, which is untouched, becomes like `from`: for a host that finds out late that what it took
     * for one variable is several (runtime/host/memory.h). */
    void (*copy)(void *self, uint32_t from, uint32_t to);
    void (*stats)(void *self, struct detector_stats *out);
    void (*destroy)(void *self);
};
