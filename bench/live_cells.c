#include "live_cells.h"

#include <math.h>
#include <string.h>

double cell_multiple(const struct cell *cell, enum value value, enum tool tool)
{
    const struct outcome *o = &cell->of[tool], *plain = &cell->of[live_tools[tool].plain];
    bool right = o->verdict == RUN_RIGHT && plain->verdict == RUN_RIGHT;
    return right ? o->median[value] / plain->median[value] : (double)NAN;
}

/* Were both measured in the same turns, with the same work to do? */
static bool took_turns(const struct cell *cell, enum tool tool, enum tool of)
{
    const struct outcome *one = &cell->of[tool], *other = &cell->of[of];
    return live_tools[tool].plain == live_tools[of].plain && one->runs == other->runs && one->runs > 0 &&
           one->run[CPU][0] > 0 && other->run[CPU][0] > 0;
}

double cell_part(const struct cell *cell, enum value value, enum tool tool, enum tool of)
{
    double part = cell_multiple(cell, value, tool) / cell_multiple(cell, value, of), in_turn[MOST_RUNS];
    const struct outcome *one = &cell->of[tool], *other = &cell->of[of];
    if (isnan(part) || !took_turns(cell, tool, of))
        return part;
    for (unsigned i = 0; i < one->runs; i++)
        in_turn[i] = one->run[value][i] / other->run[value][i];
    return measure_median(in_turn, one->runs);
}

double cell_overhead(const struct cell *cell, enum tool tool)
{
    return cell_multiple(cell, CPU, tool) - 1;
}

/* --- means --- */

static void mean_add(struct mean *mean, double value)
{
    if (isnan(value)) {
        mean->left_out++;
    } else {
        mean->counted++;
        mean->value += log(value);
    }
}

static struct mean mean_finish(struct mean mean)
{
    mean.value = mean.counted > 0 ? exp(mean.value / (double)mean.counted) : (double)NAN;
    return mean;
}

static bool counts(const struct cell *cell, const char *group, enum tool tool)
{
    return (group == NULL || strcmp(cell->program->group, group) == 0) && cell->of[tool].verdict != RUN_NONE;
}

struct mean mean_multiple(const struct cells *cells, const char *group, enum value value, enum tool tool)
{
    struct mean mean = {0};
    for (size_t i = 0; i < cells->count; i++)
        if (counts(&cells->cell[i], group, tool))
            mean_add(&mean, cell_multiple(&cells->cell[i], value, tool));
    return mean_finish(mean);
}

struct mean mean_part(const struct cells *cells, const char *group, enum value value, enum tool tool,
                      enum tool of)
{
    struct mean mean = {0};
    for (size_t i = 0; i < cells->count; i++)
        if (counts(&cells->cell[i], group, tool) && counts(&cells->cell[i], group, of))
            mean_add(&mean, cell_part(&cells->cell[i], value, tool, of));
    return mean_finish(mean);
}

/* NaN stays NaN. */
static double least_overhead(const struct cell *cell, enum tool tool)
{
    double overhead = cell_overhead(cell, tool);
    return overhead < LEAST_OVERHEAD ? LEAST_OVERHEAD : overhead;
}

struct mean mean_overhead(const struct cells *cells, const char *group, enum tool tool)
{
    struct mean mean = {0};
    for (size_t i = 0; i < cells->count; i++)
        if (counts(&cells->cell[i], group, tool))
            mean_add(&mean, least_overhead(&cells->cell[i], tool));
    return mean_finish(mean);
}

struct mean mean_overhead_part(const struct cells *cells, const char *group, enum tool tool, enum tool of)
{
    struct mean mean = {0};
    for (size_t i = 0; i < cells->count; i++)
        if (counts(&cells->cell[i], group, tool) && counts(&cells->cell[i], group, of))
            mean_add(&mean, least_overhead(&cells->cell[i], tool) / least_overhead(&cells->cell[i], of));
    return mean_finish(mean);
}

/* --- what there is --- */

size_t cells_groups(const struct cells *cells, const char *group[MOST_GROUPS])
{
    size_t count = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const char *name = cells->cell[i].program->group;
        bool known = false;
        for (size_t g = 0; g < count; g++)
            known |= strcmp(group[g], name) == 0;
        if (!known && count < MOST_GROUPS)
            group[count++] = name;
    }
    return count;
}

bool cells_asked(const struct cells *cells, enum tool tool)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cells->cell[i].of[tool].verdict != RUN_NONE)
            return true;
    return false;
}

bool cells_have(const struct cells *cells, enum tool tool)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cells->cell[i].of[tool].verdict != RUN_NONE && cells->cell[i].of[tool].verdict != RUN_MISSING)
            return true;
    return false;
}

tool_set cells_tools(const struct cells *cells)
{
    tool_set set = 0;
    for (unsigned tool = 0; tool < TOOLS; tool++)
        set |= (tool_set)cells_asked(cells, (enum tool)tool) << tool;
    return set;
}

bool cells_ours_failed(const struct cells *cells)
{
    bool failed = false;
    for (size_t i = 0; i < cells->count; i++)
        for (unsigned tool = 0; tool < TOOLS; tool++) {
            const struct outcome *o = &cells->cell[i].of[tool];
            bool fine = o->verdict == RUN_NONE || o->verdict == RUN_MISSING ||
                        (o->verdict == RUN_RIGHT && (o->races == 0 || cells->cell[i].program->racy));
            failed |= live_tools[tool].ours && !fine;
        }
    return failed;
}
