/* A cell: a program with a number of threads, measured under every tool; and what is computed from cells.
 *
 * Each binary is first run once with the small size, which does not count: it brings the binary and its
 * libraries into memory. Then the tools take turns, run by run, so that a slow phase of the machine hits all
 * of them. A value is the median of the runs; one tool's value as a part of another's, the median of what it was
 * in each turn: there are such phases between the one's run and the other's, too, but not in most turns.
 * A tool that failed in a single run has failed: the cell says
 * how, and means say how many cells they leave out. A run with reports of races counts, marked: most programs
 * have none.
 *
 * Valgrind takes a third of a second to start, more than the plain program runs. What it takes to run
 * /bin/true is left out of the times under it.
 */
#pragma once

#include "live_build.h"
#include "live_run.h"
#include "measure.h"

enum value { CPU, WALL, MEMORY, VALUES };

struct outcome {
    enum run_verdict verdict;
    unsigned runs;
    size_t races;
    uint64_t checks;       /* that it makes; 0: not counted */
    double median[VALUES]; /* seconds, seconds, megabytes */
    double run[VALUES][MOST_RUNS];
};

struct cell {
    const struct program *program;
    unsigned threads;
    size_t size; /* 0: the program's default */
    struct outcome of[TOOLS];
};

struct cells {
    struct cell *cell;
    size_t count;
};

struct measuring {
    const struct live_builder *builder;
    tool_set tools, kernel_tools; /* of all programs, and of the kernels besides */
    unsigned runs, timeout_seconds;
    const char *logs;            /* the folder that gets the output of runs that fail or report races */
    double start[TOOLS][VALUES]; /* what running nothing takes */
    double budget_end;           /* on cells_clock(): by then all cells should be done; 0: no matter */
};

double cells_clock(void);

tool_set measured_tools(const struct measuring *measuring, const struct cell *cell);

/* Learns what starting Valgrind takes. */
void measure_starts(struct measuring *measuring);

/* A run of one tool's binary of a program under a tool. size 0: the program's default. */
struct live_run cells_run(const struct measuring *measuring, const struct cell *cell, enum tool tool,
                          size_t size);

/* Measures cells; with a budget, each gets its share of what is left of it and at least one run (under
 * Valgrind, one). Calls `after` when one is done. Tells its progress on standard error. What other tools did
 * stays as it was. */
void cells_measure(const struct measuring *measuring, struct cell *const *cell, size_t count,
                   void (*after)(void *context), void *context);

/* Multiples of the plain program's value, and one tool's as a part of another's. NaN when one of the runs that this
 * rests on failed. */
double cell_multiple(const struct cell *cell, enum value value, enum tool tool);
double cell_part(const struct cell *cell, enum value value, enum tool tool, enum tool of);

/* What the tool adds, as a multiple of the plain CPU time: the slowdown less 1. */
double cell_overhead(const struct cell *cell, enum tool tool);

struct mean {
    double value; /* geometric; NaN: of nothing */
    size_t counted, left_out;
};

/* Over the cells of a group, or over all (NULL), for which the tools were asked for. */
struct mean mean_multiple(const struct cells *cells, const char *group, enum value value, enum tool tool);
struct mean mean_part(const struct cells *cells, const char *group, enum value value, enum tool tool,
                      enum tool of);

/* As published tables have it. Where a program takes no more time than the plain one, its overhead is noise,
 * and the mean of a list with a zero is zero: it counts as LEAST_OVERHEAD. */
#define LEAST_OVERHEAD 0.05
struct mean mean_overhead(const struct cells *cells, const char *group, enum tool tool);

struct mean mean_overhead_part(const struct cells *cells, const char *group, enum tool tool, enum tool of);

/* The groups of the cells, in their order. Returns how many. */
size_t cells_groups(const struct cells *cells, const char *group[MOST_GROUPS]);

/* Was the tool asked for in any cell, and was it there? */
bool cells_asked(const struct cells *cells, enum tool tool);
bool cells_have(const struct cells *cells, enum tool tool);
tool_set cells_tools(const struct cells *cells);

/* Was something of ours wrong, or did it tell a race in a program that has none? That it is missing is no
 * failure. */
bool cells_ours_failed(const struct cells *cells);
