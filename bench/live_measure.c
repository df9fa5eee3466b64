#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live_cells.h"
#include "measure.h"

double cells_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

tool_set measured_tools(const struct measuring *m, const struct cell *cell)
{
    bool kernel = strcmp(cell->program->group, GROUP_KERNELS) == 0;
    return m->tools | (kernel ? m->kernel_tools : 0);
}

/* --- progress --- */

struct progress {
    size_t at, of;
    double began;
};

static double seconds_left(const struct progress *p, double budget_end)
{
    double now = cells_clock();
    if (budget_end > 0)
        return budget_end - now;
    return p->at == 0 ? (double)NAN : (now - p->began) / (double)p->at * (double)(p->of - p->at);
}

/* One line a cell; on a terminal, one line that changes with every run. */
static void tell(const struct measuring *m, const struct cell *cell, const struct progress *p,
                 const char *doing, enum tool tool)
{
    bool terminal = isatty(2), new_cell = *doing == '\0';
    if (!terminal && !new_cell)
        return;
    fprintf(stderr, "%s[%zu/%zu] %s, %u threads", terminal ? "\r\033[K" : "", p->at + 1, p->of,
            cell->program->name, cell->threads);
    if (cell->size > 0)
        fprintf(stderr, ", size %zu", cell->size);
    double left = seconds_left(p, m->budget_end);
    if (left > 0)
        fprintf(stderr, "; %.0f s left", left);
    if (!new_cell)
        fprintf(stderr, ": %s %s", doing, live_tools[tool].name);
    if (!terminal)
        fputc('\n', stderr);
}

/* --- runs --- */

static void keep_output(const struct measuring *m, const struct cell *cell, enum tool tool,
                        const struct live_run *run)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%u-%s.txt", m->logs, cell->program->name, cell->threads,
             live_tools[tool].name);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        tool_failed("bench: cannot write %s", path);
    fprintf(file, "%s, %u threads, size %zu, %s: %s, wait status 0x%x, %.2f s of CPU time, %.2f s\n%s",
            cell->program->name, cell->threads, cell->size, live_tools[tool].name, live_verdict(run->verdict),
            (unsigned)run->status, run->cpu, run->wall, run->output);
    if (fclose(file) != 0)
        tool_failed("bench: cannot write %s", path);
}

/* The programs of bench/programs want a size of at least the number of threads. */
static size_t small_size(const struct measuring *m, const struct cell *cell)
{
    return m->builder->recipes == NULL && cell->program->small < cell->threads ? cell->threads
                                                                               : cell->program->small;
}

struct live_run cells_run(const struct measuring *m, const struct cell *cell, enum tool tool, size_t size)
{
    char binary[4096];
    live_binary(m->builder, cell->program->name, live_tools[tool].binary, binary);
    return live_run(tool, &(struct launch){.binary = binary,
                                           .real = m->builder->recipes != NULL,
                                           .threads = cell->threads,
                                           .size = size,
                                           .timeout_seconds = m->timeout_seconds});
}

static void warm_up(const struct measuring *m, const struct cell *cell, enum tool tool)
{
    if (live_tools[tool].compiler != NULL)
        free(cells_run(m, cell, tool, small_size(m, cell)).output);
}

/* A tenth at least is the program's own: a short one is lost in the noise of the start. */
static double without_start(double seconds, double start)
{
    return fmax(seconds - start, seconds / 10);
}

static void run_once(const struct measuring *m, struct cell *cell, enum tool tool)
{
    struct outcome *o = &cell->of[tool];
    if (o->verdict != RUN_NONE && o->verdict != RUN_RIGHT)
        return;
    struct live_run run = cells_run(m, cell, tool, live_tools[tool].small ? small_size(m, cell) : cell->size);
    o->verdict = run.verdict;
    if (run.verdict == RUN_MISSING && live_tools[tool].under == NULL &&
        m->builder->tool[live_tools[tool].binary].there)
        o->verdict = RUN_UNBUILT;
    o->races = run.races > o->races ? run.races : o->races;
    o->run[CPU][o->runs] = without_start(run.cpu, m->start[tool][CPU]);
    o->run[WALL][o->runs] = without_start(run.wall, m->start[tool][WALL]);
    o->run[MEMORY][o->runs] = run.megabytes;
    o->runs++;
    if ((run.verdict != RUN_RIGHT && run.verdict != RUN_MISSING) || run.races > 0)
        keep_output(m, cell, tool, &run);
    free(run.output);
}

/* Another round, which will take as long as the last one? */
static bool have_time(double round_began, double until)
{
    double now = cells_clock();
    return until <= 0 || now + (now - round_began) <= until;
}

/* Those that run: with a budget, slow ones run once, which are those under Valgrind and those for the
 * kernels. */
static bool takes_part(const struct measuring *m, const struct cell *cell, enum tool tool, unsigned run)
{
    return has_tool(measured_tools(m, cell), tool) &&
           (run == 0 || m->budget_end <= 0 ||
            (live_tools[tool].under == NULL && !has_tool(m->kernel_tools, tool)));
}

static void measure_round(const struct measuring *m, struct cell *cell, unsigned run,
                          const struct progress *p)
{
    char doing[32];
    snprintf(doing, sizeof doing, "run %u of", run + 1);
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (takes_part(m, cell, (enum tool)tool, run)) {
            tell(m, cell, p, doing, (enum tool)tool);
            run_once(m, cell, (enum tool)tool);
        }
}

static void take_medians(struct outcome *o)
{
    for (unsigned value = 0; value < VALUES; value++) {
        double sorted[MOST_RUNS];
        memcpy(sorted, o->run[value], sizeof sorted);
        o->median[value] = measure_median(sorted, o->runs);
    }
}

static void measure_cell(const struct measuring *m, struct cell *cell, const struct progress *p, double until)
{
    tool_set tools = measured_tools(m, cell);
    double round_began = 0;
    tell(m, cell, p, "", GCC);
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (has_tool(tools, (enum tool)tool)) {
            cell->of[tool] = (struct outcome){.checks = cell->of[tool].checks};
            tell(m, cell, p, "warming up", (enum tool)tool);
            warm_up(m, cell, (enum tool)tool);
        }
    for (unsigned run = 0; run < m->runs && (run == 0 || have_time(round_began, until)); run++) {
        round_began = cells_clock();
        measure_round(m, cell, run, p);
    }
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (has_tool(tools, (enum tool)tool))
            take_medians(&cell->of[tool]);
}

void cells_measure(const struct measuring *m, struct cell *const *cell, size_t count,
                   void (*after)(void *context), void *context)
{
    struct progress p = {.of = count, .began = cells_clock()};
    for (; p.at < p.of; p.at++) {
        double now = cells_clock(), share = (m->budget_end - now) / (double)(p.of - p.at);
        measure_cell(m, cell[p.at], &p, m->budget_end > 0 ? now + share : 0);
        after(context);
    }
    if (isatty(2))
        fputs("\r\033[K", stderr);
}

/* The least of a few tries: what is taken away from a time should not be too much. */
void measure_starts(struct measuring *m)
{
    enum { TRIES = 3 };
    for (unsigned tool = 0; tool < TOOLS; tool++) {
        if (!has_tool(m->tools, (enum tool)tool) || live_tools[tool].under == NULL)
            continue;
        m->start[tool][CPU] = m->start[tool][WALL] = INFINITY;
        for (unsigned i = 0; i < TRIES; i++) {
            const struct launch nothing = {.binary = "/bin/true", .timeout_seconds = m->timeout_seconds};
            struct live_run run = live_run((enum tool)tool, &nothing);
            m->start[tool][CPU] = fmin(m->start[tool][CPU], run.cpu);
            m->start[tool][WALL] = fmin(m->start[tool][WALL], run.wall);
            free(run.output);
        }
    }
}
