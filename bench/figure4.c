/* Figure 4 of the Goldilocks report (004 §4): time per access against the number of threads.
 *
 * Time is all that the detector and the framework around it spend, synchronization included, divided by the
 * number of accesses; `nop` shows the framework's share. The detectors take turns; each figure is the
 * fastest of its runs, since whatever disturbs so short a run only makes it slower.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure.h"
#include "plot.h"
#include "spots.h"
#include "table.h"

static const char *const compared[] = {"nop", "vc", "djit", "fasttrack2", "goldilocks", "eraser"};
enum { COMPARED = array_length(compared), THREAD_COUNTS = 9 };
_Static_assert(1 << (THREAD_COUNTS - 1) == MOST_SPOT_THREADS, "1 to 256, doubling");

struct figure {
    uint64_t accesses;
    size_t runs;
    struct plot plot;
    bool wrong[SPOT_PROGRAMS][COMPARED][THREAD_COUNTS];
    bool any_wrong;
};

static void measure_point(struct figure *f, struct stream *stream, size_t program, size_t point)
{
    const uint32_t threads = f->plot.x[point];
    for (size_t run = 0; run < f->runs; run++)
        for (size_t d = 0; d < COMPARED; d++) {
            const struct detector *detector = measure_detector(compared[d]);
            spots_run(&spot_programs[program], stream, detector, threads, f->accesses);
            double taken = stream->seconds / (double)stream->accesses * 1e9;
            double *fastest = &f->plot.y[program][d][point];
            *fastest = run == 0 || taken < *fastest ? taken : *fastest;
            bool nop = strcmp(compared[d], "nop") == 0;
            f->wrong[program][d][point] |= !nop && stream->replay.race_count != spots_racy(threads);
            f->any_wrong |= f->wrong[program][d][point];
            stream_close(stream);
        }
}

static void measure_program(struct figure *f, struct stream *stream, size_t program, const char *out)
{
    static const char *const csv[SPOT_PROGRAMS] = {"figure4-sharedspot", "figure4-localspot",
                                                   "figure4-multiset"};
    char title[160], columns[160] = "threads";
    snprintf(title, sizeof title, "%s: nanoseconds per access (%s)", spot_programs[program].name,
             spot_programs[program].about);
    for (size_t d = 0; d < COMPARED; d++)
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "|%s", compared[d]);
    struct table table;
    table_open(&table, title, columns);
    for (size_t point = 0; point < THREAD_COUNTS; point++) {
        fprintf(stderr, "figure4: %s, threads: %u\n", spot_programs[program].name, f->plot.x[point]);
        measure_point(f, stream, program, point);
        table_cell(&table, "%u", f->plot.x[point]);
        for (size_t d = 0; d < COMPARED; d++)
            table_cell(&table, "%.1f%s", f->plot.y[program][d][point],
                       f->wrong[program][d][point] ? " WRONG" : "");
    }
    table_close(&table, out, csv[program]);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most)
        tool_failed("bench: %s is not a number from %" PRIu64 " to %" PRIu64, text, least, most);
    return value;
}

int bench_figure4(const char *out, int count, char **arguments)
{
    struct figure f = {.accesses = 1000000, .runs = 5};
    if (count > 0)
        f.accesses = number(arguments[0], 1, UINT64_C(1) << 40);
    if (count > 1)
        f.runs = (size_t)number(arguments[1], 1, MOST_RUNS);
    f.plot = (struct plot){.x_label = "threads",
                           .y_label = "nanoseconds per access",
                           .first_is_base = true,
                           .panels = SPOT_PROGRAMS,
                           .series = COMPARED,
                           .points = THREAD_COUNTS};
    for (size_t i = 0; i < THREAD_COUNTS; i++)
        f.plot.x[i] = 1u << i;
    for (size_t d = 0; d < COMPARED; d++) {
        f.plot.name[d] = compared[d];
        f.plot.colour[d] = (enum colour)d;
    }
    for (size_t program = 0; program < SPOT_PROGRAMS; program++)
        f.plot.panel[program] = spot_programs[program].name;
    struct mem mem = {0};
    struct stream *stream = mem_alloc(&mem, sizeof *stream);
    for (size_t program = 0; program < SPOT_PROGRAMS; program++)
        measure_program(&f, stream, program, out);
    mem_free(&mem, stream, sizeof *stream);
    FILE *svg = table_create(out, "figure4", "svg");
    plot_write(&f.plot, svg);
    if (fclose(svg) != 0)
        tool_failed("bench: cannot write figure4.svg");
    printf("\n%s\n", f.any_wrong ? "WRONG: a detector missed the planted race, or found another"
                                 : "Every detector but nop found exactly the one planted race.");
    return f.any_wrong;
}
