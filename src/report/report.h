/* The result of an analysis for people and for programs: plain data in, text or JSON out. */
#pragma once

#include <stdio.h>

#include "report/race.h"
#include "trace/names.h"

/* A number to show in the statistics; value counts unless `share` says it is a percentage. */
struct report_rule {
    const char *rule;
    uint64_t fired;
};

struct report_statistics {
    const struct report_rule *rules;
    size_t rule_count;
    uint64_t accesses;   /* reads and writes */
    uint64_t same_epoch; /* of them, those that left the state alone */
    uint64_t sync_events;
    uint64_t max_clock;
    uint64_t read_shared; /* variables with several readers at the end */
    size_t variable_bytes, sync_bytes, peak_bytes;
    double seconds;
    const char *note; /* "" if nothing */
};

struct report {
    const char *detector;
    bool precise;
    const char *trace; /* as the user named it */
    uint64_t events;
    const struct names *names;
    const struct race *races;
    size_t race_count;
    bool checked;                               /* false: the detector looks at nothing, or there is nothing to look at */
    bool complete;                              /* false: salvaged from a damaged trace, the rest is lost */
    bool all;                                   /* races lists every pair seen, not one per variable */
    const struct report_statistics *statistics; /* NULL: not asked for */
};

/* How many different variables the races are on. */
size_t report_racy_variables(const struct report *report);

void report_text(const struct report *report, FILE *out);
void report_json(const struct report *report, FILE *out);
