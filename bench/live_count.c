#include "live_count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "table.h"

static const enum tool counted[] = {CLANG_OURS, FASTTRACK, REDCARD, SLIMCARD, BIGFOOT, GCC_OURS};

tool_set live_count_tools(tool_set tools)
{
    tool_set set = 0;
    for (size_t i = 0; i < array_length(counted); i++)
        set |= (tool_set)has_tool(tools, counted[i]) << counted[i];
    return set;
}

/* As the runtime prints them. */
static const char *const name_of[COUNT_KINDS] = {
#define X(name, text) text,
    COUNTS(X)
#undef X
};

/* False: the library has not printed any. */
static bool read_counts(const char *output, uint64_t counts[COUNT_KINDS])
{
    const char *list = strstr(output, "Photofinish: counted\n");
    for (unsigned kind = 0; kind < COUNT_KINDS && list != NULL; kind++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s ", name_of[kind]);
        const char *at = strstr(list, line);
        counts[kind] = at != NULL ? strtoull(at + strlen(line), NULL, 10) : 0;
    }
    return list != NULL;
}

static enum run_verdict run_counting(const struct measuring *m, const struct cell *cell, enum tool tool,
                                     uint64_t counts[COUNT_KINDS])
{
    struct live_run run = cells_run(m, cell, tool, cell->size);
    enum run_verdict verdict = run.verdict;
    if (verdict == RUN_RIGHT && !read_counts(run.output, counts))
        verdict = RUN_FAILED;
    free(run.output);
    return verdict;
}

/* --- the table --- */

static void put_millions(struct table *table, uint64_t number)
{
    table_cell(table, "%.3f", (double)number / 1e6);
}

static void put_part(struct table *table, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        table_cell(table, "-");
    else
        table_cell(table, "%.1f%%", 100 * (double)part / (double)whole);
}

/* Ratios are to what the program does: the accesses that are checked one by one where every one is. */
static void put_ratio(struct table *table, uint64_t checks, uint64_t accesses)
{
    if (accesses == 0)
        table_cell(table, "-");
    else
        table_cell(table, "%.3f", (double)checks / (double)accesses);
}

static void put_counts(struct table *table, const uint64_t c[COUNT_KINDS], uint64_t accesses)
{
    put_millions(table, c[COUNT_ACCESSES]);
    put_ratio(table, c[COUNT_ACCESSES], accesses);
    put_millions(table, count_checks(c));
    put_ratio(table, count_checks(c), accesses);
    put_part(table, c[COUNT_SAME_EPOCH], c[COUNT_ACCESSES]);
    put_part(table, c[COUNT_IN_LOOPS], c[COUNT_ACCESSES]);
    put_part(table, c[COUNT_SLOW], c[COUNT_ACCESSES] + c[COUNT_LIBC]);
    table_cell(table, "%llu", (unsigned long long)c[COUNT_EXPANSIONS]);
    table_cell(table, "%llu", (unsigned long long)c[COUNT_FOLDS]);
    table_cell(table, "%llu", (unsigned long long)c[COUNT_READ_SETS]);
    put_millions(table, c[COUNT_SYNC]);
    put_millions(table, c[COUNT_ATOMICS]);
    put_part(table, c[COUNT_JOINS_SKIPPED], c[COUNT_JOINS] + c[COUNT_JOINS_SKIPPED]);
}

enum { COLUMNS_OF_COUNTS = 15 };

static void put_row(struct table *table, const struct cell *cell, enum tool tool, enum run_verdict verdict,
                    const uint64_t c[COUNT_KINDS], uint64_t accesses)
{
    table_cell(table, "%s", cell->program->name);
    table_cell(table, "%u", cell->threads);
    table_cell(table, "%s", live_tools[tool].name);
    if (verdict == RUN_RIGHT)
        put_counts(table, c, accesses);
    else
        for (unsigned i = 0; i < COLUMNS_OF_COUNTS; i++)
            table_cell(table, "%s", i == 0 ? live_verdict(verdict) : "");
}

/* True: a run failed. The first tool has the program's accesses. */
static bool count_cell(const struct measuring *m, const struct cell *cell, struct table *table)
{
    uint64_t accesses = 0;
    bool failed = false;
    for (size_t i = 0; i < array_length(counted); i++) {
        uint64_t c[COUNT_KINDS] = {0};
        if (!has_tool(m->tools, counted[i]) || !m->builder->tool[live_tools[counted[i]].binary].there)
            continue;
        enum run_verdict verdict = run_counting(m, cell, counted[i], c);
        if (counted[i] == CLANG_OURS || counted[i] == GCC_OURS)
            accesses = c[COUNT_ACCESSES];
        put_row(table, cell, counted[i], verdict, c, accesses);
        failed |= verdict != RUN_RIGHT;
    }
    return failed;
}

bool live_count(const struct measuring *m, struct cell *const *cell, size_t count, const char *library,
                const char *out)
{
    struct table table;
    bool failed = false;
    setenv("LD_LIBRARY_PATH", library, 1);
    table_open(
        &table,
        "Counts, in millions where there is a point. Ratios are to the accesses of `every` of the same "
        "compiler",
        "<program|threads|<tool|accesses|ratio|checks|check ratio|same epoch|in loops|slow path|"
        "expansions|folds|read sets|sync|atomics|joins skipped");
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "[%zu/%zu] %s, %u threads\n", i + 1, count, cell[i]->program->name, cell[i]->threads);
        failed |= count_cell(m, cell[i], &table);
    }
    table_close(&table, out, "live_counts");
    return failed;
}

/* --- check ratios --- */

/* These differ by their placement. With a budget there is no time for redcard. */
tool_set live_checks_tools(tool_set tools, bool budget)
{
    return tools & (tool_set)(1u << CLANG_OURS | 1u << BIGFOOT | (budget ? 0 : 1u << REDCARD));
}

static void count_placed(const struct measuring *m, struct cell *cell, tool_set tools)
{
    for (unsigned tool = 0; tool < TOOLS; tool++) {
        uint64_t c[COUNT_KINDS];
        if (has_tool(tools, (enum tool)tool) && m->builder->tool[tool].there &&
            run_counting(m, cell, (enum tool)tool, c) == RUN_RIGHT)
            cell->of[tool].checks = count_checks(c);
    }
}

void live_count_checks(const struct measuring *m, struct cell *const *cell, size_t count, tool_set tools,
                       const char *library)
{
    fprintf(stderr, "counting checks\n");
    setenv("LD_LIBRARY_PATH", library, 1);
    for (size_t i = 0; i < count; i++)
        if (strcmp(cell[i]->program->group, GROUP_KERNELS) == 0)
            count_placed(m, cell[i], tools);
    unsetenv("LD_LIBRARY_PATH");
}
