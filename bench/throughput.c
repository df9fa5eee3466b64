/* Events per second over trace files, and how often longer than the nop detector each one takes: what reading
 * and checking costs is nop's time, the rest is the price of the rules.
 *
 * The detectors of a trace take turns, so that a slow phase of the machine hits all of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure.h"
#include "table.h"

enum { MOST_DETECTORS = 12 };

/* The research tool that people use today, over STD text: 2.0 million random events of 8 threads in 7.4 s
 * (its fastest happens-before engine, HBEpoch). Noted once, on a machine like this, and not measured again.
 */
#define RAPID_RATE 0.27e6

struct group {
    char *file;
    size_t runs;
    char *name[MOST_DETECTORS];
    size_t count;
    double aim;                               /* of fasttrack2, in events per second; 0: none */
    struct measured measured[MOST_DETECTORS]; /* of the last run */
    double taken[MOST_DETECTORS][MOST_RUNS];
    double rate[MOST_DETECTORS]; /* by the median */
};

/* FILE:RUNS:DETECTOR,...[:AIM], cut up in place. */
static void parse(struct group *g, char *text)
{
    *g = (struct group){.file = strsep(&text, ":")};
    char *runs = strsep(&text, ":"), *names = strsep(&text, ":"), *aim = text;
    g->runs = runs == NULL ? 0 : strtoul(runs, NULL, 10);
    g->aim = aim == NULL ? 0 : strtod(aim, NULL) * 1e6;
    while (names != NULL && g->count < MOST_DETECTORS)
        g->name[g->count++] = strsep(&names, ",");
    if (g->count == 0 || g->runs < 1 || g->runs > MOST_RUNS)
        tool_failed("bench: FILE:RUNS:DETECTOR,... was expected, with 1 to %d runs", MOST_RUNS);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void measure_group(struct group *g)
{
    for (size_t run = 0; run < g->runs; run++) {
        fprintf(stderr, "throughput: %s, run %zu of %zu\n", base_name(g->file), run + 1, g->runs);
        for (size_t d = 0; d < g->count; d++) {
            g->measured[d] = measure_analysis(g->file, measure_detector(g->name[d]));
            g->taken[d][run] = g->measured[d].seconds;
        }
    }
    for (size_t d = 0; d < g->count; d++)
        g->rate[d] = (double)g->measured[d].events / measure_median(g->taken[d], g->runs);
}

/* What a precise detector of the group found; all others must have found as many. */
static uint64_t agreed(const struct group *g)
{
    for (size_t d = 0; d < g->count; d++)
        if (measure_detector(g->name[d])->precise)
            return g->measured[d].racy;
    return 0;
}

static double rate_of(const struct group *g, const char *name)
{
    for (size_t d = 0; d < g->count; d++)
        if (strcmp(g->name[d], name) == 0)
            return g->rate[d];
    return 0;
}

static bool add_rows(struct table *table, const struct group *g)
{
    bool all_right = true;
    double nop = rate_of(g, "nop");
    for (size_t d = 0; d < g->count; d++) {
        const struct measured *m = &g->measured[d];
        bool precise = measure_detector(g->name[d])->precise, wrong = precise && m->racy != agreed(g);
        all_right &= !wrong;
        const double *sorted = g->taken[d]; /* by measure_median() */
        table_cell(table, "%s", base_name(g->file));
        table_cell(table, "%s", g->name[d]);
        table_cell(table, "%.0f", (double)m->events / 1e6);
        table_cell(table, "%zu", g->runs);
        table_cell(table, "%.2f", (double)m->events / g->rate[d]);
        table_cell(table, "%.0f%%", (sorted[g->runs - 1] / sorted[0] - 1) * 100);
        table_cell(table, "%.1f", g->rate[d] / 1e6);
        if (nop > 0)
            table_cell(table, "%.2f", nop / g->rate[d]);
        else
            table_cell(table, "-");
        table_cell(table, "%.0f", (double)m->peak_bytes / 1e6);
        table_cell(table, "%" PRIu64, m->racy);
        table_cell(table, "%s", measure_verdict(measure_detector(g->name[d]), !wrong));
    }
    return all_right;
}

static void print_aim(const struct group *g)
{
    double rate = rate_of(g, "fasttrack2");
    if (g->aim > 0 && rate > 0)
        printf("fasttrack2 over %s: %.1f million events/s; the aim is %.0f: %s\n", base_name(g->file),
               rate / 1e6, g->aim / 1e6, rate >= g->aim ? "reached" : "not reached");
}

static bool is_std(const struct group *g)
{
    const char *dot = strrchr(g->file, '.');
    return dot != NULL && strcmp(dot, ".std") == 0;
}

static void print_peer(const struct group *g)
{
    double rate = rate_of(g, "fasttrack2");
    if (is_std(g) && rate > 0)
        printf("RAPID over STD text: %.2f million events/s (a known figure, not measured here);"
               " fasttrack2 is %.0f times as fast\n",
               RAPID_RATE / 1e6, rate / RAPID_RATE);
}

int bench_throughput(const char *out, int count, char **arguments)
{
    struct mem mem = {0};
    struct group *groups = mem_alloc(&mem, (size_t)count * sizeof *groups);
    struct table table;
    bool all_right = true;
    table_open(&table,
               "Throughput on one core (CPU time, median of the runs; spread: slowest run over fastest;\n"
               "x nop: how many times as long as reading and checking alone)",
               "<trace|<detector|M events|runs|seconds|spread|M events/s|x nop|peak MB|racy|<answer");
    for (int i = 0; i < count; i++) {
        parse(&groups[i], arguments[i]);
        measure_group(&groups[i]);
        all_right &= add_rows(&table, &groups[i]);
    }
    table_close(&table, out, "throughput");
    printf("\n");
    for (int i = 0; i < count; i++) {
        print_aim(&groups[i]);
        print_peer(&groups[i]);
    }
    mem_free(&mem, groups, (size_t)count * sizeof *groups);
    return all_right ? 0 : 1;
}
