/* The benchmarks of pf-bench, one a file. Each prints aligned tables on standard output, says on standard
 * error what it is at, and writes the same tables as CSV (figure4: also a plot) into the folder `out`.
 *
 * Every benchmark checks the answers that it times: where a precise detector does not find the racy variables
 * that it must, its row says WRONG, and the benchmark returns 1. No time is ever judged, only shown.
 */
#pragma once

#include "base/base.h"

/* arguments: FILE:RUNS:DETECTOR,DETECTOR...[:AIM], one for each trace */
int bench_throughput(const char *out, int count, char **arguments);

/* arguments: trace files of different lengths */
int bench_memory(const char *out, int count, char **arguments);

/* arguments: the number of accesses of each run, and the number of runs */
int bench_figure4(const char *out, int count, char **arguments);

/* arguments: options (live_options.c) */
int bench_live(const char *out, int count, char **arguments);

/* arguments: the folder bench/population, the first seed, and how many */
int bench_population(const char *out, int count, char **arguments);

/* arguments: the list of programs that the results in `out` are of */
int bench_spread(const char *out, int count, char **arguments);
