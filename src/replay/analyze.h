/* The analysis of one trace file from beginning to end: read, replay, look up the first accesses. */
#pragma once

#include "replay/replay.h"
#include "trace/reader.h"

struct analysis {
    /* what to do */
    const char *path;                  /* "-" is standard input */
    const struct trace_format *format; /* NULL: recognise */
    const struct detector *detector;
    bool all, count_rules, salvage;
    /* what came of it */
    struct source source;
    struct reader reader;
    struct replay replay;
};

/* False: problem says why; there is nothing to free. Otherwise analysis_free. */
bool analysis_run(struct analysis *analysis, struct problem *problem);
void analysis_free(struct analysis *analysis);
