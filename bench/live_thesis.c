/* The thesis' Tables 3.1 and 3.2 (001 §3.6) for our programs: what each part of the placement is good for.
 *
 *   FT   every access is checked, each by itself
 *   RC   without those that were checked before
 *   SS   FT, and the runtime checks the accesses of loops and the bytes of words together
 *   SC   RC and that
 *   BF   loops as a whole, and nothing twice: what pfcc does with clang 19
 */
#include <math.h>
#include <string.h>

#include "live_tables.h"
#include "table.h"

static const enum tool measured[] = {FASTTRACK, REDCARD, CLANG_OURS, SLIMCARD, BIGFOOT};

enum { DETECTORS = array_length(measured) };

static bool is_asked(const struct cell *cell)
{
    return cell->of[FASTTRACK].verdict != RUN_NONE;
}

static void put_part(struct table *table, const struct cell *cell, enum tool tool, double part)
{
    if (isnan(part))
        live_put_verdict(table, cell, tool);
    else
        table_cell(table, "(%.2f)", part);
}

/* --- check ratios --- */

/* NaN: was not counted. */
static double check_ratio(const struct cell *cell, enum tool tool)
{
    uint64_t accesses = cell->of[CLANG_OURS].checks, checks = cell->of[tool].checks;
    return accesses > 0 && checks > 0 ? (double)checks / (double)accesses : (double)NAN;
}

/* As the thesis has it: two digits, however small. */
static void put_ratio(struct table *table, double ratio)
{
    if (isnan(ratio))
        table_cell(table, "-");
    else
        table_cell(table, ratio < 0.01 ? "%.1e" : "%.2f", ratio);
}

/* Arithmetic. */
static double mean_ratio(const struct cells *cells, const char *group, enum tool tool)
{
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < cells->count; i++) {
        double ratio = check_ratio(&cells->cell[i], tool);
        if ((group != NULL && strcmp(cells->cell[i].program->group, group) != 0) || isnan(ratio))
            continue;
        sum += ratio;
        counted++;
    }
    return counted > 0 ? sum / (double)counted : (double)NAN;
}

/* --- Table 3.1 --- */

static void put_time(struct table *table, const struct cell *cell)
{
    put_ratio(table, check_ratio(cell, REDCARD));
    put_ratio(table, check_ratio(cell, BIGFOOT));
    live_put_plain(table, cell, CPU, CLANG);
    for (size_t i = 0; i < DETECTORS; i++)
        live_put_multiple(table, cell, measured[i], cell_overhead(cell, measured[i]));
    for (size_t i = 1; i < DETECTORS; i++)
        put_part(table, cell, measured[i],
                 cell_overhead(cell, measured[i]) / cell_overhead(cell, FASTTRACK));
    live_put_multiple(table, cell, CLANG_TSAN, cell_overhead(cell, CLANG_TSAN));
    put_part(table, cell, BIGFOOT, cell_overhead(cell, BIGFOOT) / cell_overhead(cell, CLANG_TSAN));
}

static void put_mean_time(struct table *table, const struct cells *cells, const char *group)
{
    put_ratio(table, mean_ratio(cells, group, REDCARD));
    put_ratio(table, mean_ratio(cells, group, BIGFOOT));
    table_cell(table, "%s", "");
    for (size_t i = 0; i < DETECTORS; i++)
        live_put_mean(table, mean_overhead(cells, group, measured[i]));
    for (size_t i = 1; i < DETECTORS; i++)
        live_put_mean(table, mean_overhead_part(cells, group, measured[i], FASTTRACK));
    live_put_mean(table, mean_overhead(cells, group, CLANG_TSAN));
    live_put_mean(table, mean_overhead_part(cells, group, BIGFOOT, CLANG_TSAN));
}

/* --- Table 3.2 --- */

static void put_memory(struct table *table, const struct cell *cell)
{
    live_put_plain(table, cell, MEMORY, CLANG);
    live_put_multiple(table, cell, FASTTRACK, cell_multiple(cell, MEMORY, FASTTRACK));
    for (size_t i = 1; i < DETECTORS; i++)
        put_part(table, cell, measured[i], cell_part(cell, MEMORY, measured[i], FASTTRACK));
    live_put_multiple(table, cell, CLANG_TSAN, cell_multiple(cell, MEMORY, CLANG_TSAN));
    put_part(table, cell, BIGFOOT, cell_part(cell, MEMORY, BIGFOOT, CLANG_TSAN));
}

static void put_mean_memory(struct table *table, const struct cells *cells, const char *group)
{
    table_cell(table, "%s", "");
    live_put_mean(table, mean_multiple(cells, group, MEMORY, FASTTRACK));
    for (size_t i = 1; i < DETECTORS; i++)
        live_put_mean(table, mean_part(cells, group, MEMORY, measured[i], FASTTRACK));
    live_put_mean(table, mean_multiple(cells, group, MEMORY, CLANG_TSAN));
    live_put_mean(table, mean_part(cells, group, MEMORY, BIGFOOT, CLANG_TSAN));
}

/* --- both --- */

static const struct layout {
    const char *title, *columns, *name;
    void (*put)(struct table *table, const struct cell *cell);
    void (*put_mean)(struct table *table, const struct cells *cells, const char *group);
} layouts[] = {
    {"The thesis' Table 3.1: check ratios; time of the plain program; overhead (CPU time as a multiple of "
     "that, "
     "less 1), and as a part of FT's",
     "<program|threads|RC checks|BF checks|base|FT|RC|SS|SC|BF|RC/FT|SS/FT|SC/FT|BF/FT|TSan|BF/TSan",
     "live_thesis_time", put_time, put_mean_time},
    {"The thesis' Table 3.2: peak resident memory of the plain program; as a multiple of that; as a part of "
     "FT's",
     "<program|threads|base|FT/base|RC/FT|SS/FT|SC/FT|BF/FT|TSan/base|BF/TSan", "live_thesis_memory",
     put_memory, put_mean_memory},
};

static void put_means(struct table *table, const struct layout *l, const struct cells *cells,
                      const char *group)
{
    table_cell(table, "= %s", group != NULL ? group : "all");
    table_cell(table, "%s", "");
    l->put_mean(table, cells, group);
}

/* The rows of a group, and their means. False: there are none. */
static bool put_group(struct table *table, const struct layout *l, const struct cells *cells,
                      const char *group)
{
    bool any = false;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->cell[i];
        if (strcmp(cell->program->group, group) != 0 || !is_asked(cell))
            continue;
        any = true;
        table_cell(table, "%s", cell->program->name);
        table_cell(table, "%u", cell->threads);
        l->put(table, cell);
    }
    if (any)
        put_means(table, l, cells, group);
    return any;
}

void live_print_thesis(const struct cells *cells, const char *out)
{
    const char *group[MOST_GROUPS];
    size_t groups = cells_groups(cells, group);
    if (!cells_have(cells, FASTTRACK))
        return;
    for (size_t i = 0; i < array_length(layouts); i++) {
        struct table table;
        size_t printed = 0;
        table_open(&table, layouts[i].title, layouts[i].columns);
        for (size_t g = 0; g < groups; g++)
            printed += put_group(&table, &layouts[i], cells, group[g]);
        if (printed > 1)
            put_means(&table, &layouts[i], cells, NULL);
        table_close(&table, out, layouts[i].name);
    }
}
