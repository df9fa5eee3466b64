/* pf-bench: measures the detectors, post-mortem and live. bench/run makes the traces, bench/live the
 * binaries; both call it. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const struct {
    const char *name, *arguments, *about;
    int (*run)(const char *out, int count, char **arguments);
} benchmarks[] = {
    {"throughput", "FILE:RUNS:DETECTOR,...[:AIM] ...", "events per second over trace files",
     bench_throughput},
    {"memory", "[FILE ...]", "bytes per variable and per sync object; peak memory over FILEs", bench_memory},
    {"figure4", "[ACCESSES [RUNS]]", "time per access for 1 to 256 threads (004 Fig. 4)", bench_figure4},
    {"live", "[OPTION ...]", "time and memory of running programs, against TSan and others (bench/live)",
     bench_live},
    {"population", "FOLDER FIRST COUNT", "draws programs by seed into OUT (bench/population/run)",
     bench_population},
    {"spread", "PROGRAMS", "of the results of live in OUT: mean, worst decile and worst cell", bench_spread},
};

static int usage(FILE *to, int exit_code)
{
    fputs("Usage: pf-bench BENCHMARK OUT [ARGUMENT...]\n"
          "Prints tables, and writes them as CSV into the folder OUT. bench/run calls it with traces, "
          "bench/live with binaries.\n\n",
          to);
    for (size_t i = 0; i < array_length(benchmarks); i++)
        fprintf(to, "  %-10s OUT %s\n             %s\n", benchmarks[i].name, benchmarks[i].arguments,
                benchmarks[i].about);
    return exit_code;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, 0);
    for (size_t i = 0; argc >= 3 && i < array_length(benchmarks); i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argv[2], argc - 3, argv + 3);
    return usage(stderr, 2);
}
