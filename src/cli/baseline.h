/* A baseline: the races of a program that are known, in the JSON that `run --json` writes. Only their
 * fingerprints matter; the rest is for people, and for `photofinish report`. */
#pragma once

#include "report/live_report.h"

struct baseline {
    const char *path; /* NULL: there is none */
    struct live_report report;
    json_t *known; /* fingerprints */
};

/* may_be_missing: a file that does not exist is an empty baseline. */
bool baseline_open(struct baseline *baseline, const char *path, bool may_be_missing, struct problem *problem);
bool baseline_knows(const struct baseline *baseline, const char *fingerprint);
/* Adds what it does not know and writes the file; what is there stays as it is, so that a difference of two
 * versions shows what is new. False after an error message. */
bool baseline_update(struct baseline *baseline, const struct live_report *found, size_t *added);
void baseline_close(struct baseline *baseline);
