#include <jansson.h>
#include <math.h>

#include "live_results.h"

/* JSON has no NaN: null. */
static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *outcome_json(const struct cell *cell, enum tool tool)
{
    const struct outcome *o = &cell->of[tool];
    json_t *object = json_pack("{s:s, s:i, s:i}", "result", live_verdict(o->verdict), "runs", (int)o->runs,
                               "races", (int)o->races);
    if (o->verdict == RUN_RIGHT)
        json_object_update_new(object, json_pack("{s:f, s:f, s:f, s:o, s:o, s:o}", "cpu_seconds",
                                                 o->median[CPU], "wall_seconds", o->median[WALL],
                                                 "memory_megabytes", o->median[MEMORY], "slowdown",
                                                 number(cell_multiple(cell, CPU, tool)), "overhead",
                                                 number(cell_overhead(cell, tool)), "memory",
                                                 number(cell_multiple(cell, MEMORY, tool))));
    return object;
}

static json_t *cell_json(const struct cell *cell)
{
    json_t *tools = json_object();
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (cell->of[tool].verdict != RUN_NONE)
            json_object_set_new(tools, live_tools[tool].name, outcome_json(cell, (enum tool)tool));
    return json_pack("{s:s, s:s, s:i, s:o}", "program", cell->program->name, "group", cell->program->group,
                     "threads", (int)cell->threads, "tools", tools);
}

static json_t *mean_json(const struct cells *cells, const char *group, enum tool tool)
{
    struct mean slowdown = mean_multiple(cells, group, CPU, tool);
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:i}", "slowdown", number(slowdown.value), "overhead",
                     number(mean_overhead(cells, group, tool).value), "memory",
                     number(mean_multiple(cells, group, MEMORY, tool).value), "of_clang_tsan",
                     number(mean_part(cells, group, CPU, tool, CLANG_TSAN).value), "cells",
                     (int)slowdown.counted, "left_out", (int)slowdown.left_out);
}

static json_t *means_json(const struct cells *cells, const char *group)
{
    json_t *tools = json_object();
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (live_tools[tool].plain != tool && cells_asked(cells, (enum tool)tool))
            json_object_set_new(tools, live_tools[tool].name, mean_json(cells, group, (enum tool)tool));
    return tools;
}

/* Empty but for real programs. */
static json_t *compile_json(const struct compile_times *times)
{
    json_t *programs = json_object();
    for (size_t i = 0; i < times->programs->count; i++) {
        json_t *tools = json_object();
        for (unsigned tool = 0; tool < TOOLS; tool++)
            if (times->builds[i][tool] > 0)
                json_object_set_new(tools, live_tools[tool].name, json_real(times->seconds[i][tool]));
        if (json_object_size(tools) > 0)
            json_object_set(programs, times->programs->program[i].name, tools);
        json_decref(tools);
    }
    return programs;
}

void results_write_json(const struct cells *cells, const struct compile_times *times, const struct machine *m,
                        const char *out)
{
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    json_t *list = json_array(), *means = json_object();
    for (size_t i = 0; i < cells->count; i++)
        json_array_append_new(list, cell_json(&cells->cell[i]));
    for (size_t g = 0; g < groups; g++)
        json_object_set_new(means, group[g], means_json(cells, group[g]));
    json_object_set_new(means, "all", means_json(cells, NULL));
    json_t *all =
        json_pack("{s:s, s:{s:s, s:i, s:s, s:s, s:s, s:s, s:s}, s:o, s:o, s:o}", "version", PF_VERSION,
                  "machine", "processor", m->processor, "processors", (int)m->processors, "kernel", m->kernel,
                  "gcc", m->gcc, "clang", m->clang, "valgrind", m->valgrind, "date", m->date, "means", means,
                  "cells", list, "compile_seconds", compile_json(times));
    char path[4096];
    snprintf(path, sizeof path, "%s/live.json", out);
    if (all == NULL || json_dump_file(all, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0)
        tool_failed("bench: cannot write %s", path);
    json_decref(all);
}
