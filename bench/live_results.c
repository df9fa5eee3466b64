#include "live_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* --- in order --- */

static bool comes_before(const struct cell *a, const struct program *program, unsigned threads)
{
    return a->program != program ? a->program < program : a->threads < threads;
}

struct cell *results_cell(struct cells *cells, const struct program *program, unsigned threads)
{
    size_t at = 0;
    while (at < cells->count && comes_before(&cells->cell[at], program, threads))
        at++;
    if (at < cells->count && cells->cell[at].program == program && cells->cell[at].threads == threads)
        return &cells->cell[at];
    cells->cell = realloc(cells->cell, (cells->count + 1) * sizeof *cells->cell);
    require(cells->cell != NULL);
    memmove(&cells->cell[at + 1], &cells->cell[at], (cells->count - at) * sizeof *cells->cell);
    cells->cell[at] = (struct cell){.program = program, .threads = threads};
    cells->count++;
    return &cells->cell[at];
}

/* --- CSV --- */

static const char header[] =
    "program,group,threads,tool,result,runs,races,checks,cpu_seconds,wall_seconds,"
    "memory_megabytes,slowdown,overhead,memory_multiple,cpu_runs,wall_runs,memory_runs\n";

/* Empty where there is none. */
static void put_number(FILE *csv, double number)
{
    if (isnan(number))
        fputc(',', csv);
    else
        fprintf(csv, ",%.6f", number);
}

/* Each, in the order of the turns. */
static void put_runs(FILE *csv, const struct outcome *o, unsigned value)
{
    fputc(',', csv);
    for (unsigned i = 0; i < o->runs && o->verdict == RUN_RIGHT; i++)
        fprintf(csv, "%s%.6f", i > 0 ? " " : "", o->run[value][i]);
}

static void put_outcome(FILE *csv, const struct cell *cell, enum tool tool)
{
    const struct outcome *o = &cell->of[tool];
    fprintf(csv, "%s,%s,%u,%s,%s,%u,%zu,%" PRIu64, cell->program->name, cell->program->group, cell->threads,
            live_tools[tool].name, live_verdict(o->verdict), o->runs, o->races, o->checks);
    for (unsigned value = 0; value < VALUES; value++)
        put_number(csv, o->verdict == RUN_RIGHT ? o->median[value] : (double)NAN);
    put_number(csv, cell_multiple(cell, CPU, tool));
    put_number(csv, cell_overhead(cell, tool));
    put_number(csv, cell_multiple(cell, MEMORY, tool));
    for (unsigned value = 0; value < VALUES; value++)
        put_runs(csv, o, value);
    fputc('\n', csv);
}

void results_save(const struct cells *cells, const char *out)
{
    FILE *csv = table_create(out, "live", "csv");
    fputs(header, csv);
    for (size_t i = 0; i < cells->count; i++)
        for (unsigned tool = 0; tool < TOOLS; tool++)
            if (cells->cell[i].of[tool].verdict != RUN_NONE)
                put_outcome(csv, &cells->cell[i], (enum tool)tool);
    if (fclose(csv) != 0)
        tool_failed("bench: cannot write live.csv");
}

/* The last columns, which an older version's lines lack. */
static void take_runs(struct outcome *o, const char *line)
{
    enum { BEFORE = 14 };
    for (unsigned column = 0; column < BEFORE && line != NULL; column++) {
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
    for (unsigned value = 0; value < VALUES && line != NULL; value++) {
        char *end = (char *)line;
        for (unsigned i = 0; i < o->runs && i < MOST_RUNS; i++)
            o->run[value][i] = strtod(end, &end);
        line = *end == ',' ? end + 1 : NULL;
    }
}

/* Lines that are not understood are an older version's. */
static void take_line(struct cells *cells, const struct programs *programs, const char *line)
{
    char program[32], tool_name[32], verdict[16];
    unsigned threads;
    struct outcome o = {0};
    int fields = sscanf(line, "%31[^,],%*[^,],%u,%31[^,],%15[^,],%u,%zu,%" SCNu64 ",%lf,%lf,%lf", program,
                        &threads, tool_name, verdict, &o.runs, &o.races, &o.checks, &o.median[CPU],
                        &o.median[WALL], &o.median[MEMORY]);
    if (fields < 7)
        return;
    o.verdict = live_verdict_named(verdict);
    if (o.verdict == RUN_RIGHT && fields < 10)
        return;
    take_runs(&o, line);
    for (size_t i = 0; i < programs->count; i++)
        for (unsigned tool = 0; tool < TOOLS; tool++)
            if (strcmp(programs->program[i].name, program) == 0 &&
                strcmp(live_tools[tool].name, tool_name) == 0)
                results_cell(cells, &programs->program[i], threads)->of[tool] = o;
}

void results_load(struct cells *cells, const struct programs *programs, const char *out)
{
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/live.csv", out);
    FILE *csv = fopen(path, "re");
    while (csv != NULL && fgets(line, sizeof line, csv) != NULL)
        take_line(cells, programs, line);
    if (csv != NULL)
        fclose(csv);
}
