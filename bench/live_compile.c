#include "live_compile.h"

#include <math.h>
#include <stdio.h>

#include "measure.h"
#include "table.h"

/* Of clang TSan's time, for the program that takes clang longest. */
#define MOST_OF_TSAN 1.5

void compile_times_read(struct compile_times *times, const struct live_builder *builder,
                        const struct programs *programs)
{
    times->programs = programs;
    for (size_t i = 0; i < programs->count; i++)
        for (unsigned tool = 0; tool < TOOLS; tool++) {
            char binary[4096];
            live_binary(builder, programs->program[i].name, (enum tool)tool, binary);
            times->seconds[i][tool] = live_build_seconds(binary, &times->builds[i][tool]);
        }
}

/* --- the table --- */

static const enum tool compared[] = {GCC_TSAN, GCC_OURS, CLANG_TSAN, CLANG_OURS, BIGFOOT};

static bool any_build(const struct compile_times *times, size_t program)
{
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (times->builds[program][tool] > 0)
            return true;
    return false;
}

static void put_number(struct table *table, const char *format, double number)
{
    char text[LONGEST_CELL];
    snprintf(text, sizeof text, format, number);
    table_cell(table, "%s", isnan(number) ? "-" : text);
}

static void put_program(struct table *table, const struct compile_times *times, size_t i)
{
    const double *seconds = times->seconds[i];
    unsigned fewest = MOST_RUNS;
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (times->builds[i][tool] > 0 && times->builds[i][tool] < fewest)
            fewest = times->builds[i][tool];
    table_cell(table, "%s", times->programs->program[i].name);
    put_number(table, "%.1f s", seconds[GCC]);
    put_number(table, "%.1f s", seconds[CLANG]);
    for (size_t c = 0; c < array_length(compared); c++)
        put_number(table, "%.2f", seconds[compared[c]] / seconds[live_tools[compared[c]].plain]);
    put_number(table, "%.2f", seconds[CLANG_OURS] / seconds[CLANG_TSAN]);
    put_number(table, "%.2f", seconds[BIGFOOT] / seconds[CLANG_TSAN]);
    table_cell(table, "%u", fewest);
}

/* Of what both have built; the count is the list's when there is none. */
static size_t largest(const struct compile_times *times)
{
    size_t found = times->programs->count;
    for (size_t i = 0; i < times->programs->count; i++)
        if (times->builds[i][BIGFOOT] > 0 && times->builds[i][CLANG_TSAN] > 0 &&
            times->builds[i][CLANG] > 0 &&
            (found == times->programs->count || times->seconds[i][CLANG] > times->seconds[found][CLANG]))
            found = i;
    return found;
}

void live_print_compile(const struct compile_times *times, const char *out)
{
    struct table table;
    size_t rows = 0, count = times->programs->count, most = largest(times);
    for (size_t i = 0; i < count; i++)
        rows += any_build(times, i);
    if (rows == 0)
        return;
    table_open(
        &table,
        "Compile time (CPU, without configuring): plain, then multiples of plain, then ours with clang as a "
        "part of clang TSan's",
        "<program|gcc|clang|gcc TSan|gcc ours|clang TSan|every|bigfoot|every/TSan|bigfoot/TSan|builds");
    for (size_t i = 0; i < count; i++)
        if (any_build(times, i))
            put_program(&table, times, i);
    table_close(&table, out, "live_compile");
    if (most == count)
        return;
    double part = times->seconds[most][BIGFOOT] / times->seconds[most][CLANG_TSAN];
    printf("\nAim: compiling the largest program, %s, takes at most %.1f of clang TSan's time: %.2f  %s\n",
           times->programs->program[most].name, MOST_OF_TSAN, part, part <= MOST_OF_TSAN ? "PASS" : "over");
}
