/* What a running program costs under each tool: time and memory as multiples of the plain build's, and ours
 * as a multiple of TSan's built by the same compiler.
 *
 * bench/live builds BINARIES/PROGRAM.TOOL for every tool below and calls this. The tools take turns, run by
 * run, so that a slow phase of the machine hits all of them; a value is the median of the runs. A tool that
 * failed in a single run has failed: the table says how, and the geometric means say how many cells they
 * leave out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "live_run.h"
#include "measure.h"
#include "table.h"

enum tool { GCC, GCC_TSAN, GCC_OURS, CLANG, CLANG_TSAN, CLANG_OURS, TOOLS };

static const char *const tool_name[TOOLS] = {"gcc",   "gcc-tsan",   "gcc-ours",
                                             "clang", "clang-tsan", "clang-ours"};

enum value { CPU, WALL, MEMORY, VALUES };

/* A program with a number of threads. */
struct cell {
    const char *program;
    unsigned threads;
    struct {
        enum run_verdict verdict;
        double sample[VALUES][MOST_RUNS], median[VALUES];
    } of[TOOLS];
};

struct plan {
    const char *binaries;
    unsigned runs, timeout_seconds;
    struct cell *cell;
    size_t cells;
};

/* --- measuring --- */

static void run_once(const struct plan *plan, struct cell *cell, enum tool tool, unsigned run)
{
    char binary[4096];
    if (cell->of[tool].verdict != RUN_RIGHT)
        return;
    snprintf(binary, sizeof binary, "%s/%s.%s", plan->binaries, cell->program, tool_name[tool]);
    struct live_run result = live_run(binary, cell->threads, plan->timeout_seconds);
    cell->of[tool].verdict = result.verdict;
    cell->of[tool].sample[CPU][run] = result.cpu;
    cell->of[tool].sample[WALL][run] = result.wall;
    cell->of[tool].sample[MEMORY][run] = result.megabytes;
}

static void measure_cell(const struct plan *plan, struct cell *cell)
{
    for (unsigned run = 0; run < plan->runs; run++)
        for (unsigned tool = 0; tool < TOOLS; tool++)
            run_once(plan, cell, (enum tool)tool, run);
    for (unsigned tool = 0; tool < TOOLS; tool++)
        for (unsigned value = 0; value < VALUES; value++)
            cell->of[tool].median[value] = measure_median(cell->of[tool].sample[value], plan->runs);
}

/* --- tables --- */

/* NaN when one of the two failed. */
static double ratio(const struct cell *cell, enum value value, enum tool tool, enum tool to)
{
    bool right = cell->of[tool].verdict == RUN_RIGHT && cell->of[to].verdict == RUN_RIGHT;
    return right ? cell->of[tool].median[value] / cell->of[to].median[value] : (double)NAN;
}

static void ratio_cell(struct table *table, const struct cell *cell, enum value value, enum tool tool,
                       enum tool to)
{
    double r = ratio(cell, value, tool, to);
    if (!isnan(r))
        table_cell(table, "%.2f", r);
    else if (cell->of[tool].verdict != RUN_RIGHT)
        table_cell(table, "%s", live_verdict(cell->of[tool].verdict));
    else
        table_cell(table, "-");
}

struct mean {
    double value;
    size_t counted, failed;
};

static struct mean geometric_mean(const struct plan *plan, enum value value, enum tool tool, enum tool to)
{
    struct mean mean = {0};
    double sum = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        double r = ratio(&plan->cell[i], value, tool, to);
        if (isnan(r)) {
            mean.failed++;
        } else {
            mean.counted++;
            sum += log(r);
        }
    }
    mean.value = mean.counted > 0 ? exp(sum / (double)mean.counted) : (double)NAN;
    return mean;
}

/* What each tool is measured against, in the order of the columns. */
static const struct {
    enum tool tool, to;
} column[] = {{GCC_TSAN, GCC},     {GCC_OURS, GCC},     {GCC_OURS, GCC_TSAN},
              {CLANG_TSAN, CLANG}, {CLANG_OURS, CLANG}, {CLANG_OURS, CLANG_TSAN}};

static void plain_cell(struct table *table, const struct cell *cell, enum value value, enum tool tool)
{
    if (cell->of[tool].verdict != RUN_RIGHT)
        table_cell(table, "%s", live_verdict(cell->of[tool].verdict));
    else
        table_cell(table, value == MEMORY ? "%.1f MB" : "%.3f s", cell->of[tool].median[value]);
}

static void print_table(const struct plan *plan, enum value value, const char *title, const char *out,
                        const char *name)
{
    struct table table;
    table_open(&table, title, "<program|threads|gcc|TSan|ours|ours/TSan|clang|TSan|ours|ours/TSan");
    for (size_t i = 0; i < plan->cells; i++) {
        const struct cell *cell = &plan->cell[i];
        table_cell(&table, "%s", cell->program);
        table_cell(&table, "%u", cell->threads);
        for (unsigned c = 0; c < array_length(column); c++) {
            if (c % 3 == 0)
                plain_cell(&table, cell, value, column[c].to);
            ratio_cell(&table, cell, value, column[c].tool, column[c].to);
        }
    }
    table_cell(&table, "geometric mean");
    table_cell(&table, "%s", "");
    for (unsigned c = 0; c < array_length(column); c++) {
        if (c % 3 == 0)
            table_cell(&table, "%s", "");
        struct mean mean = geometric_mean(plan, value, column[c].tool, column[c].to);
        table_cell(&table, mean.failed > 0 ? "%.2f (%zu failed)" : "%.2f", mean.value, mean.failed);
    }
    table_close(&table, out, name);
}

/* --- aims --- */

static size_t count_above(const struct plan *plan, enum value value, enum tool tool, enum tool to,
                          double most)
{
    size_t above = 0;
    for (size_t i = 0; i < plan->cells; i++)
        above += !(ratio(&plan->cell[i], value, tool, to) <= most);
    return above;
}

static void print_aim(const char *aim, double found, double most)
{
    printf("  %-62s %.2f  %s\n", aim, found, found <= most ? "PASS" : "over");
}

static void print_aims(const struct plan *plan)
{
    printf("\nAims, in CPU time:\n");
    size_t above = count_above(plan, CPU, CLANG_OURS, CLANG_TSAN, 1.0);
    printf("  %-62s %zu of %zu are above  %s\n", "built with clang: every cell at most 1.0 of clang TSan",
           above, plan->cells, above == 0 ? "PASS" : "over");
    print_aim("built with clang: at most 0.7 of clang TSan in the mean",
              geometric_mean(plan, CPU, CLANG_OURS, CLANG_TSAN).value, 0.7);
    print_aim("built with gcc: at most 0.5 of gcc TSan in the mean",
              geometric_mean(plan, CPU, GCC_OURS, GCC_TSAN).value, 0.5);
    print_aim("peak memory, built with clang: at most clang TSan's in the mean",
              geometric_mean(plan, MEMORY, CLANG_OURS, CLANG_TSAN).value, 1.0);
}

/* --- the whole --- */

/* Every program with every number of threads in the list. */
static void make_cells(struct plan *plan, char *threads, int programs, char **program)
{
    unsigned number[16], numbers = 0;
    for (char *next = strtok(threads, ","); next != NULL && numbers < array_length(number);
         next = strtok(NULL, ","))
        number[numbers++] = (unsigned)atoi(next);
    plan->cells = (size_t)programs * numbers;
    plan->cell = calloc(plan->cells, sizeof *plan->cell);
    require(plan->cell != NULL);
    for (size_t i = 0; i < plan->cells; i++) {
        plan->cell[i].program = program[i / numbers];
        plan->cell[i].threads = number[i % numbers];
    }
}

int bench_live(const char *out, int count, char **arguments)
{
    if (count < 5)
        tool_failed("bench: live needs BINARIES RUNS TIMEOUT THREADS PROGRAM ...");
    struct plan plan = {.binaries = arguments[0],
                        .runs = (unsigned)atoi(arguments[1]),
                        .timeout_seconds = (unsigned)atoi(arguments[2])};
    if (plan.runs < 1 || plan.runs > MOST_RUNS)
        tool_failed("bench: between 1 and %d runs", MOST_RUNS);
    make_cells(&plan, arguments[3], count - 4, arguments + 4);
    for (size_t i = 0; i < plan.cells; i++) {
        fprintf(stderr, "[%zu/%zu] %s, %u threads\n", i + 1, plan.cells, plan.cell[i].program,
                plan.cell[i].threads);
        measure_cell(&plan, &plan.cell[i]);
    }
    print_table(&plan, CPU,
                "CPU time (user and system): plain, then multiples of plain, then ours as a part of TSan's",
                out, "live_cpu");
    print_table(&plan, WALL, "Wall time, likewise (noisy when the machine has other work: go by CPU time)",
                out, "live_wall");
    print_table(&plan, MEMORY, "Peak resident memory, likewise", out, "live_memory");
    print_aims(&plan);
    size_t failed = 0;
    for (size_t i = 0; i < plan.cells; i++)
        failed += plan.cell[i].of[GCC_OURS].verdict != RUN_RIGHT ||
                  plan.cell[i].of[CLANG_OURS].verdict != RUN_RIGHT;
    free(plan.cell);
    return failed > 0;
}
