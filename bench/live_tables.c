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

void live_put_verdict(struct table *table, const struct cell *cell, enum tool tool)
{
    enum run_verdict verdict = cell->of[tool].verdict;
    table_cell(table, "%s", verdict == RUN_RIGHT ? "-" : live_verdict(verdict));
}

void live_put_mean(struct table *table, struct mean mean)
{
    if (mean.counted == 0)
        table_cell(table, "-");
    else if (mean.left_out == 0)
        table_cell(table, "%.2f", mean.value);
    else
        table_cell(table, "%.2f (%zu out)", mean.value, mean.left_out);
}

void live_put_plain(struct table *table, const struct cell *cell, enum value value, enum tool tool)
{
    if (cell->of[tool].verdict == RUN_RIGHT)
        table_cell(table, value == MEMORY ? "%.1f MB" : "%.3f s", cell->of[tool].median[value]);
    else
        live_put_verdict(table, cell, tool);
}

void live_put_multiple(struct table *table, const struct cell *cell, enum tool tool, double multiple)
{
    if (isnan(multiple))
        live_put_verdict(table, cell, tool);
    else
        table_cell(table, "%.2f%s", multiple, cell->of[tool].races > 0 ? "!" : "");
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
    if (c->what == PLAIN)
        live_put_plain(table, cell, value, c->tool);
    else if (c->what == MULTIPLE)
        live_put_multiple(table, cell, c->tool, cell_multiple(cell, value, c->tool));
    else if (isnan(cell_part(cell, value, c->tool, c->of)))
        live_put_verdict(table, cell, c->tool);
    else
        table_cell(table, "%.2f", cell_part(cell, value, c->tool, c->of));
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
            live_put_mean(table, c->what == MULTIPLE ? mean_multiple(cells, group, value, c->tool)
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
        printf("\nNo tool reports a race.\n");
        return;
    }
    table_open(&table,
               "Races told, where any are (their times are marked !). Only programs marked * have any",
               names);
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->cell[i];
        if (!any_race(cell))
            continue;
        table_cell(&table, "%s%s", cell->program->name, cell->program->racy ? " *" : "");
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
        live_put_mean(table, mean_multiple(cells, group[g], CPU, tool));
    live_put_mean(table, all);
    live_put_mean(table, mean_overhead(cells, NULL, tool));
    live_put_mean(table, mean_part(cells, NULL, CPU, tool, CLANG_TSAN));
    live_put_mean(table, mean_multiple(cells, NULL, WALL, tool));
    live_put_mean(table, mean_multiple(cells, NULL, MEMORY, tool));
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
    live_print_thesis(cells, out);
    print_races(cells, tools, out);
    print_tools(cells, tools, out);
}
