/* What a run found, as its JSON says it (DESIGN §7): what every other format is made from, whether the run
 * has just ended or was kept in a file. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "base/problem.h"
#include "report/live.h"

struct found_race {
    struct live_race race;
    json_t *json; /* the same, with what this version does not know; borrowed */
    const char *fingerprint;
    const char *explain;
    uint64_t times; /* reported, in all runs that were merged */
    bool known;     /* it is in the baseline */
};

struct live_report {
    json_t *root;
    struct pool pool;
    const char *program; /* NULL: several */
    const char *detector;
    bool precise;
    struct found_race *race;
    size_t count;
};

/* Takes the JSON over. False: it is no report of a run. */
bool live_report_take(struct live_report *report, json_t *root, struct problem *problem);
/* The same from a file; "-" is standard input. */
bool live_report_load(struct live_report *report, const char *path, struct problem *problem);
void live_report_free(struct live_report *report);

/* Unites reports into one; a race is in it once, with how often and in which runs it was found.
 * NULL-terminated list. What comes back is the caller's. */
json_t *live_report_merge(struct live_report *const *reports);

/* Why it is not a clean one even if it has no race; NULL: it would be. */
const char *live_report_doubt(const struct live_report *report);

/* Writers. Each writes the whole report. */
struct text_style {
    const struct options *options;
    bool quiet, verbose, colors; /* a line a race; what the verdict rests on */
};
void live_report_text(const struct live_report *report, const struct text_style *style, FILE *out);
void live_report_sarif(const struct live_report *report, const char *directory, FILE *out);
void live_report_html(const struct live_report *report, FILE *out);
void live_report_github(const struct live_report *report, const char *directory, FILE *out);
