#include "live_charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "table.h"

/* From slow to fast, as far as one can tell beforehand. */
static const enum tool charted[] = {HELGRIND, DRD, GCC_TSAN, GCC_OURS, CLANG_TSAN, CLANG_OURS, BIGFOOT};

_Static_assert(array_length(charted) <= MOST_SERIES, "each has a colour");

/* The tools that are there at all. */
static size_t choose_series(struct bars *bars, const struct cells *cells, enum tool tool[MOST_SERIES])
{
    for (size_t i = 0; i < array_length(charted); i++)
        if (cells_have(cells, charted[i])) {
            tool[bars->series] = charted[i];
            bars->colour[bars->series] = live_tools[charted[i]].colour;
            bars->name[bars->series++] = live_tools[charted[i]].title;
        }
    return bars->series;
}

static void add_mean(struct bars *bars, const struct cells *cells, const char *group, const enum tool *tool)
{
    size_t c = bars->clusters++;
    bars->cluster[c] = group != NULL ? group : "all programs";
    for (size_t s = 0; s < bars->series; s++) {
        bars->value[c][s] = mean_multiple(cells, group, CPU, tool[s]).value;
        bars->instead[c][s] = "none";
    }
}

/* A program: the mean over its numbers of threads. */
static void add_program(struct bars *bars, const struct cells *cells, size_t first, const enum tool *tool)
{
    const struct program *program = cells->cell[first].program;
    struct cells its = {.cell = &cells->cell[first]};
    while (first + its.count < cells->count && its.cell[its.count].program == program)
        its.count++;
    size_t c = bars->clusters++;
    bars->cluster[c] = program->name;
    for (size_t s = 0; s < bars->series; s++) {
        struct mean mean = mean_multiple(&its, NULL, CPU, tool[s]);
        bars->value[c][s] = mean.left_out == 0 ? mean.value : (double)NAN;
        bars->instead[c][s] = "-";
        for (size_t i = 0; i < its.count; i++)
            if (its.cell[i].of[tool[s]].verdict > RUN_RIGHT)
                bars->instead[c][s] = live_verdict(its.cell[i].of[tool[s]].verdict);
    }
}

static void write(const struct bars *bars, const char *out, const char *name)
{
    FILE *svg = table_create(out, name, "svg");
    bars_write(bars, svg);
    if (fclose(svg) != 0)
        tool_failed("bench: cannot write %s.svg", name);
}

static struct bars *new_bars(const char *title)
{
    struct bars *bars = calloc(1, sizeof *bars);
    require(bars != NULL);
    bars->title = title;
    bars->y_label = "CPU time, multiples of the plain program's";
    return bars;
}

static void write_group(const struct cells *cells, const char *group, const char *out)
{
    enum tool tool[MOST_SERIES];
    char title[80], name[40];
    snprintf(title, sizeof title, "Slowdown of each program: %s", group);
    snprintf(name, sizeof name, "live-%s", group);
    struct bars *bars = new_bars(title);
    choose_series(bars, cells, tool);
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->cell[i].program->group, group) == 0 &&
            (i == 0 || cells->cell[i - 1].program != cells->cell[i].program))
            add_program(bars, cells, i, tool);
    write(bars, out, name);
    free(bars);
}

void live_write_charts(const struct cells *cells, const char *out)
{
    enum tool tool[MOST_SERIES];
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    struct bars *bars = new_bars("Slowdown, geometric means of the programs");
    if (choose_series(bars, cells, tool) > 0) {
        for (size_t g = 0; g < groups; g++)
            add_mean(bars, cells, group[g], tool);
        if (groups > 1)
            add_mean(bars, cells, NULL, tool);
        write(bars, out, "live");
        for (size_t g = 0; g < groups; g++)
            write_group(cells, group[g], out);
    }
    free(bars);
}
