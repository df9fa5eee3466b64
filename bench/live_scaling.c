#include "live_scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "table.h"

/* A plot: two panels, time and memory, of one program or of the mean of several. */
static const struct scaling {
    const char *name, *title, *x_label;
    const char *program[8];
    bool by_threads; /* x is the number of threads; otherwise the size, with 4 threads */
    unsigned x[MOST_POINTS];
    const char *x_text[MOST_POINTS];
} scalings[] = {
    {"threads",
     "1 to 16 threads: mean of array, hashtable, table, parse, pingpong",
     "threads",
     {"array", "hashtable", "table", "parse", "pingpong"},
     true,
     {1, 2, 4, 8, 16},
     {NULL}},
    {"working-set",
     "A working set of 1 MiB to 1 GiB, random access, 4 threads",
     "working set",
     {"working_set"},
     false,
     {1, 4, 16, 64, 256, 1024},
     {"1 MiB", "4", "16", "64", "256", "1 GiB"}},
    {"mutexes",
     "1 to 1,000,000 mutexes, 4 threads",
     "mutexes",
     {"mutexes"},
     false,
     {1, 10, 100, 1000, 10000, 100000, 1000000},
     {"1", "10", "100", "1k", "10k", "100k", "1M"}},
};

static const enum tool plotted[] = {GCC_TSAN, CLANG_TSAN, GCC_OURS, CLANG_OURS, BIGFOOT};
static const enum value panels[] = {CPU, MEMORY};

enum { THREADS_OF_SIZES = 4, MOST_PROGRAMS_OF_ONE = 8 };

static size_t count_points(const struct scaling *s)
{
    size_t points = 0;
    while (points < MOST_POINTS && s->x[points] != 0)
        points++;
    return points;
}

/* --- measuring --- */

/* The cells of point 0, then of point 1, ... */
static struct cells make_cells(const struct scaling *s, const struct programs *programs)
{
    size_t points = count_points(s), each = 0;
    while (each < MOST_PROGRAMS_OF_ONE && s->program[each] != NULL)
        each++;
    struct cells cells = {.count = points * each};
    cells.cell = calloc(cells.count, sizeof *cells.cell);
    require(cells.cell != NULL);
    for (size_t i = 0; i < cells.count; i++)
        cells.cell[i] = (struct cell){.program = programs_find(programs, s->program[i % each]),
                                      .threads = s->by_threads ? s->x[i / each] : THREADS_OF_SIZES,
                                      .size = s->by_threads ? 0 : s->x[i / each]};
    return cells;
}

static void after_each(void *unused)
{
    (void)unused;
}

static void measure(struct measuring *m, struct cells *cells)
{
    struct cell **each = calloc(cells->count, sizeof *each);
    require(each != NULL);
    for (size_t i = 0; i < cells->count; i++)
        each[i] = &cells->cell[i];
    cells_measure(m, each, cells->count, after_each, NULL);
    free(each);
}

/* --- showing --- */

static void choose_series(struct plot *plot, const struct cells *cells, enum tool tool[MOST_SERIES])
{
    for (size_t i = 0; i < array_length(plotted); i++)
        if (cells_have(cells, plotted[i])) {
            tool[plot->series] = plotted[i];
            plot->colour[plot->series] = live_tools[plotted[i]].colour;
            plot->name[plot->series++] = live_tools[plotted[i]].title;
        }
}

/* A mean over fewer programs would not be comparable: none then. */
static double point_of(const struct cells *point, enum value value, enum tool tool)
{
    struct mean mean = mean_multiple(point, NULL, value, tool);
    return mean.left_out == 0 ? mean.value : (double)NAN;
}

static void fill(struct plot *plot, const struct cells *cells, const enum tool *tool)
{
    size_t each = cells->count / plot->points;
    for (size_t i = 0; i < plot->points; i++) {
        struct cells point = {.cell = &cells->cell[i * each], .count = each};
        for (size_t panel = 0; panel < array_length(panels); panel++)
            for (size_t s = 0; s < plot->series; s++)
                plot->y[panel][s][i] = point_of(&point, panels[panel], tool[s]);
    }
}

static void print(const struct plot *plot, const char *title, const char *name, const char *out)
{
    char columns[512], text[512];
    struct table table;
    size_t length = (size_t)snprintf(columns, sizeof columns, "%s", plot->x_label);
    for (size_t panel = 0; panel < plot->panels; panel++)
        for (size_t s = 0; s < plot->series; s++)
            length += (size_t)snprintf(columns + length, sizeof columns - length, "|%s%s",
                                       panel == 0 ? "" : "memory: ", plot->name[s]);
    snprintf(text, sizeof text, "%s: CPU time and peak memory, multiples of the plain program's", title);
    table_open(&table, text, columns);
    for (size_t i = 0; i < plot->points; i++) {
        table_cell(&table, "%u", plot->x[i]);
        for (size_t panel = 0; panel < plot->panels; panel++)
            for (size_t s = 0; s < plot->series; s++)
                if (isnan(plot->y[panel][s][i]))
                    table_cell(&table, "failed");
                else
                    table_cell(&table, "%.2f", plot->y[panel][s][i]);
    }
    table_close(&table, out, name);
}

static void show(const struct scaling *s, const struct cells *cells, const char *out)
{
    enum tool tool[MOST_SERIES];
    char name[64];
    struct plot *plot = calloc(1, sizeof *plot);
    require(plot != NULL);
    plot->x_label = s->x_label;
    plot->y_label = "multiples of the plain program's";
    plot->points = count_points(s);
    plot->panels = array_length(panels);
    plot->panel[0] = "CPU time";
    plot->panel[1] = "peak memory";
    memcpy(plot->x, s->x, sizeof plot->x);
    memcpy(plot->x_text, s->x_text, sizeof plot->x_text);
    choose_series(plot, cells, tool);
    fill(plot, cells, tool);
    snprintf(name, sizeof name, "scaling-%s", s->name);
    print(plot, s->title, name, out);
    FILE *svg = table_create(out, name, "svg");
    plot_write(plot, svg);
    if (fclose(svg) != 0)
        tool_failed("bench: cannot write %s.svg", name);
    printf("\nThe plot is in %s/%s.svg\n", out, name);
    free(plot);
}

/* --- all --- */

static tool_set plotted_tools(tool_set asked)
{
    tool_set set = 0;
    for (size_t i = 0; i < array_length(plotted); i++)
        if (has_tool(asked, plotted[i]))
            set |= (tool_set)(1u << plotted[i] | 1u << live_tools[plotted[i]].plain);
    return set;
}

static void build(const struct measuring *m, const struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        live_build(m->builder, &cells->cell[i].program, 1, m->tools);
}

bool live_scaling(struct measuring *m, const struct programs *programs, const char *out)
{
    bool failed = false;
    m->tools = plotted_tools(m->tools);
    for (size_t i = 0; i < array_length(scalings); i++) {
        struct cells cells = make_cells(&scalings[i], programs);
        build(m, &cells);
        measure(m, &cells);
        show(&scalings[i], &cells, out);
        failed |= cells_ours_failed(&cells);
        free(cells.cell);
    }
    return failed;
}
