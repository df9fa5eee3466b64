/* How the results of a population are spread: one tool's time and memory as a part of another's, their geometric mean,
 * the best cell, the median, the least of the worst decile, and the worst cells by name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "live_results.h"

static const struct {
    enum tool ours, theirs;
} pairs[] = {{BIGFOOT, CLANG_TSAN}, {CLANG_OURS, CLANG_TSAN}, {GCC_OURS, GCC_TSAN}};

struct part {
    double value;
    const char *name;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct part *)a)->value, y = ((const struct part *)b)->value;
    return (x > y) - (x < y);
}

/* Sorted; cells where one of the tools failed are left out. */
static size_t collect(const struct cells *cells, enum value value, enum tool ours, enum tool theirs,
                      struct part *part)
{
    size_t count = 0;
    for (size_t i = 0; i < cells->count; i++) {
        double p = cell_part(&cells->cell[i], value, ours, theirs);
        if (!isnan(p))
            part[count++] = (struct part){p, cells->cell[i].program->name};
    }
    qsort(part, count, sizeof *part, by_value);
    return count;
}

static void show(const struct part *part, size_t count, const char *what, enum tool ours, enum tool theirs)
{
    enum { WORST = 5 };
    double sum = 0;
    size_t above = 0;
    for (size_t i = 0; i < count; i++) {
        sum += log(part[i].value);
        above += part[i].value > 1;
    }
    printf("%-10s of %-10s %-6s  mean %.2f  best %.2f  median %.2f  worst decile from %.2f  worst %.2f  "
           "above 1.0: %zu of %zu\n",
           live_tools[ours].name, live_tools[theirs].name, what, exp(sum / (double)count), part[0].value,
           part[count / 2].value, part[count - 1 - count / 10].value, part[count - 1].value, above, count);
    printf("    worst:");
    for (size_t i = 0; i < WORST && i < count; i++)
        printf(" %s %.2f", part[count - 1 - i].name, part[count - 1 - i].value);
    putchar('\n');
}

int bench_spread(const char *out, int count, char **arguments)
{
    static struct programs programs;
    struct cells cells = {0};
    if (count != 1)
        tool_failed("bench: spread needs the list of programs");
    programs_read(&programs, arguments[0]);
    results_load(&cells, &programs, out);
    struct part *part = calloc(cells.count + 1, sizeof *part);
    require(part != NULL);
    for (size_t i = 0; i < array_length(pairs); i++)
        for (unsigned value = 0; value < VALUES; value++) {
            if (value == WALL)
                continue;
            size_t parts = collect(&cells, (enum value)value, pairs[i].ours, pairs[i].theirs, part);
            if (parts > 0)
                show(part, parts, value == CPU ? "time" : "memory", pairs[i].ours, pairs[i].theirs);
        }
    free(part);
    free(cells.cell);
    return 0;
}
