#include "live_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

enum { MOST_TITLE = 160, MOST_NAMES = 512 };

static void add_name(char names[MOST_NAMES], const char *name)
{
    size_t length = strlen(names);
    snprintf(names + length, MOST_NAMES - length, "%s%s", length > 0 ? "|" : "", name);
}

static void put_verdict(struct table *table, const struct cell *cell, enum tool tool)
{
    enum run_verdict verdict = cell->of[tool].verdict;
    table_cell(table, "%s", verdict == RUN_RIGHT ? "-" : live_verdict(verdict));
}

static void put_mean(struct table *table, struct mean mean)
{
    if (mean.counted == 0)
        table_cell(table, "-");
    else if (mean.left_out == 0)
        table_cell(table, "%.2f", mean.value);
    else
        table_cell(table, "%.2f (%zu out)", mean.value, mean.left_out);
}

static const char *mark(const struct cell *cell, enum tool tool)
{
    return cell->of[tool].races > 0 ? "!" : "";
}

/* --- one value, all tools --- */

/* A plain build's value, a tool's multiple of it, or that as a part of another tool's. */
struct column {
    enum { PLAIN, MULTIPLE, PART } what;
    enum tool tool, of;
    const char *name;
};

static const struct column all_columns[] = {
    {PLAIN, GCC, GCC, "gcc"},
    {MULTIPLE, GCC_TSAN, GCC, "TSan"},
    {MULTIPLE, GCC_OURS, GCC, "ours"},
    {PART, GCC_OURS, GCC_TSAN, "ours/TSan"},
    {PLAIN, CLANG, CLANG, "clang"},
    {MULTIPLE, CLANG_TSAN, CLANG, "TSan"},
    {MULTIPLE, CLANG_OURS, CLANG, "ours"},
    {PART, CLANG_OURS, CLANG_TSAN, "ours/TSan"},
    {MULTIPLE, BIGFOOT, CLANG, "bigfoot"},
    {PART, BIGFOOT, CLANG_TSAN, "bigfoot/TSan"},
    {PLAIN, GCC_SMALL, GCC_SMALL, "gcc small"},
    {MULTIPLE, HELGRIND, GCC_SMALL, "Helgrind"},
    {MULTIPLE, DRD, GCC_SMALL, "DRD"},
};

static bool is_there(const struct column *c, tool_set tools)
{
    return has_tool(tools, c->tool) && has_tool(tools, c->of);
}

static void put_column(struct table *table, const struct cell *cell, enum value value, const struct column *c)
{
    if (c->what == PLAIN) {
        if (cell->of[c->tool].verdict == RUN_RIGHT)
            table_cell(table, value == MEMORY ? "%.1f MB" : "%.3f s", cell->of[c->tool].median[value]);
        else
            put_verdict(table, cell, c->tool);
        return;
    }
    double number =
        c->what == MULTIPLE ? cell_multiple(cell, value, c->tool) : cell_part(cell, value, c->tool, c->of);
    if (isnan(number))
        put_verdict(table, cell, c->tool);
    else
        table_cell(table, "%.2f%s", number, c->what == MULTIPLE ? mark(cell, c->tool) : "");
}

static void put_mean_row(struct table *table, const struct cells *cells, const char *group, enum value value,
                         tool_set tools)
{
    table_cell(table, "= %s", group != NULL ? group : "all");
    table_cell(table, "%s", "");
    for (size_t i = 0; i < array_length(all_columns); i++) {
        const struct column *c = &all_columns[i];
        if (!is_there(c, tools))
            continue;
        if (c->what == PLAIN)
            table_cell(table, "%s", "");
        else
            put_mean(table, c->what == MULTIPLE ? mean_multiple(cells, group, value, c->tool)
                                                : mean_part(cells, group, value, c->tool, c->of));
    }
}

static void put_row(struct table *table, const struct cell *cell, enum value value, tool_set tools)
{
    table_cell(table, "%s", cell->program->name);
    table_cell(table, "%u", cell->threads);
    for (size_t i = 0; i < array_length(all_columns); i++)
        if (is_there(&all_columns[i], tools))
            put_column(table, cell, value, &all_columns[i]);
}

static void print_value(const struct cells *cells, tool_set tools, enum value value, const char *title,
                        const char *out, const char *name)
{
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    char names[MOST_NAMES] = "<program|threads";
    struct table table;
    for (size_t i = 0; i < array_length(all_columns); i++)
        if (is_there(&all_columns[i], tools))
            add_name(names, all_columns[i].name);
    table_open(&table, title, names);
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < cells->count; i++)
            if (strcmp(cells->cell[i].program->group, group[g]) == 0)
                put_row(&table, &cells->cell[i], value, tools);
        put_mean_row(&table, cells, group[g], value, tools);
    }
    if (groups > 1)
        put_mean_row(&table, cells, NULL, value, tools);
    table_close(&table, out, name);
}

/* --- placements --- */

static const enum tool placements[] = {CLANG_OURS, REDCARD, SLIMSTATE, SLIMCARD, BIGFOOT};

static void put_overheads(struct table *table, const struct cell *cell)
{
    table_cell(table, "%s", cell->program->name);
    table_cell(table, "%u", cell->threads);
    for (size_t i = 0; i < array_length(placements); i++)
        if (isnan(cell_overhead(cell, placements[i])))
            put_verdict(table, cell, placements[i]);
        else
            table_cell(table, "%.2f", cell_overhead(cell, placements[i]));
    for (size_t i = 1; i < array_length(placements); i++) {
        double part = cell_overhead(cell, placements[i]) / cell_overhead(cell, CLANG_OURS);
        if (isnan(part))
            put_verdict(table, cell, placements[i]);
        else
            table_cell(table, "(%.2f)", part);
    }
}

static void put_mean_overheads(struct table *table, const struct cells *cells, const char *group)
{
    table_cell(table, "= %s", group != NULL ? group : "all");
    table_cell(table, "%s", "");
    for (size_t i = 0; i < array_length(placements); i++)
        put_mean(table, mean_overhead(cells, group, placements[i]));
    for (size_t i = 1; i < array_length(placements); i++)
        put_mean(table, mean_overhead_part(cells, group, placements[i], CLANG_OURS));
}

/* The thesis' Table 3.1: the overhead of each placement, and as a part of that of checking every access. */
static void print_placements(const struct cells *cells, const char *out)
{
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    struct table table;
    table_open(
        &table,
        "Overhead (CPU time as a multiple of plain, less 1) of each placement; then as a part of `every`'s",
        "<program|threads|every|redcard|slimstate|slimcard|bigfoot|RC/every|SS/every|SC/every|BF/every");
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < cells->count; i++)
            if (strcmp(cells->cell[i].program->group, group[g]) == 0)
                put_overheads(&table, &cells->cell[i]);
        put_mean_overheads(&table, cells, group[g]);
    }
    if (groups > 1)
        put_mean_overheads(&table, cells, NULL);
    table_close(&table, out, "live_placements");
}

/* --- races --- */

static bool any_race(const struct cell *cell)
{
    size_t races = 0;
    for (unsigned tool = 0; tool < TOOLS; tool++)
        races += cell->of[tool].races;
    return races > 0;
}

static void print_races(const struct cells *cells, tool_set tools, const char *out)
{
    char names[MOST_NAMES] = "<program|threads";
    struct table table;
    size_t rows = 0;
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (has_tool(tools, (enum tool)tool) && live_tools[tool].summary != NULL)
            add_name(names, live_tools[tool].name);
    for (size_t i = 0; i < cells->count; i++)
        rows += any_race(&cells->cell[i]);
    if (rows == 0) {
        printf("\nNo tool reports a race, and the programs have none.\n");
        return;
    }
    table_open(&table, "Races told, where any are: the programs have none (their times are marked !)", names);
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->cell[i];
        if (!any_race(cell))
            continue;
        table_cell(&table, "%s", cell->program->name);
        table_cell(&table, "%u", cell->threads);
        for (unsigned tool = 0; tool < TOOLS; tool++)
            if (has_tool(tools, (enum tool)tool) && live_tools[tool].summary != NULL)
                table_cell(&table, "%zu", cell->of[tool].races);
    }
    table_close(&table, out, "live_races");
}

/* --- one line a tool --- */

static void put_tool(struct table *table, const struct cells *cells, enum tool tool, const char *const *group,
                     size_t groups)
{
    size_t races = 0, missing = 0;
    for (size_t i = 0; i < cells->count; i++) {
        races += cells->cell[i].of[tool].races;
        missing += cells->cell[i].of[tool].verdict == RUN_MISSING;
    }
    struct mean all = mean_multiple(cells, NULL, CPU, tool);
    table_cell(table, "%s", live_tools[tool].title);
    for (size_t g = 0; g < groups && groups > 1; g++)
        put_mean(table, mean_multiple(cells, group[g], CPU, tool));
    put_mean(table, all);
    put_mean(table, mean_overhead(cells, NULL, tool));
    put_mean(table, mean_part(cells, NULL, CPU, tool, CLANG_TSAN));
    put_mean(table, mean_multiple(cells, NULL, WALL, tool));
    put_mean(table, mean_multiple(cells, NULL, MEMORY, tool));
    table_cell(table, "%zu", races);
    if (missing == cells->count)
        table_cell(table, "missing");
    else
        table_cell(table, "%zu of %zu", all.counted, all.counted + all.left_out);
}

static void print_tools(const struct cells *cells, tool_set tools, const char *out)
{
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    char names[MOST_NAMES] = "<tool";
    struct table table;
    for (size_t g = 0; g < groups && groups > 1; g++)
        add_name(names, group[g]);
    add_name(names, "slowdown|overhead|/clang TSan|wall|memory|races told|cells");
    table_open(&table,
               "Geometric means: slowdown in CPU time per group and overall, overhead, slowdown as a part of "
               "clang TSan's, wall time and peak memory as multiples of plain",
               names);
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (has_tool(tools, (enum tool)tool) && live_tools[tool].plain != tool)
            put_tool(&table, cells, (enum tool)tool, group, groups);
    table_close(&table, out, "live_tools");
}

/* --- all --- */

void live_print_tables(const struct cells *cells, tool_set tools, const char *out)
{
    print_value(cells, tools, CPU,
                "CPU time (user and system): plain, then multiples of plain, then ours as a part of TSan's",
                out, "live_cpu");
    print_value(cells, tools, WALL,
                "Wall time, likewise (noisy when the machine has other work: go by CPU time)", out,
                "live_wall");
    print_value(cells, tools, MEMORY, "Peak resident memory, likewise", out, "live_memory");
    bool any_placement = false;
    for (size_t i = 1; i < array_length(placements); i++)
        any_placement |= cells_have(cells, placements[i]);
    if (any_placement)
        print_placements(cells, out);
    print_races(cells, tools, out);
    print_tools(cells, tools, out);
}
