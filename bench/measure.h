/* How things are measured: in CPU time, by medians, and each analysis of a file in a process of its own.
 *
 * CPU time (user and system), because an analysis uses one core and other work on the machine should not
 * count. A process of its own, so that no run inherits the heap of the one before, and so that its peak
 * resident size is its own.
 */
#pragma once

#include "detect/detectors.h"

enum { MOST_RUNS = 9 };

/* Of this process so far. */
double measure_clock(void);

/* Sorts the values. */
double measure_median(double *value, size_t count);

struct measured {
    double seconds;        /* CPU time */
    uint64_t events, racy; /* racy: variables */
    uint64_t peak_bytes;   /* resident */
};

/* Analyses the file as `photofinish analyze` does. Ends the program if the trace is bad. */
struct measured measure_analysis(const char *path, const struct detector *detector);

/* What a table says about a detector's answer, which is right or not as far as it promises to be. */
const char *measure_verdict(const struct detector *detector, bool right);

/* The detector of that name; ends the program if there is none. */
const struct detector *measure_detector(const char *name);
