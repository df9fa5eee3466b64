#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/analyze.h"

double measure_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double measure_median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return count % 2 == 1 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

const struct detector *measure_detector(const char *name)
{
    const struct detector *detector = detector_named(name);
    if (detector == NULL)
        tool_failed("bench: there is no detector '%s'", name);
    return detector;
}

const char *measure_verdict(const struct detector *detector, bool right)
{
    if (detector == &detector_nop)
        return "-";
    return !detector->precise ? "not precise" : right ? "right" : "WRONG";
}

/* In the child: analyses, and sends what was measured. */
static void analyse(const char *path, const struct detector *detector, int to)
{
    struct analysis analysis = {.path = path, .detector = detector};
    struct problem problem;
    double cpu = measure_clock();
    if (!analysis_run(&analysis, &problem))
        tool_failed("bench: %s: %s", path, problem.reason);
    struct measured measured = {.seconds = measure_clock() - cpu,
                                .events = analysis.replay.events,
                                .racy = analysis.replay.race_count};
    _exit(write(to, &measured, sizeof measured) == sizeof measured ? 0 : EXIT_TOOL_FAILED);
}

struct measured measure_analysis(const char *path, const struct detector *detector)
{
    int ends[2], status;
    struct measured measured;
    struct rusage usage;
    if (pipe(ends) != 0)
        tool_failed("bench: no pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        tool_failed("bench: no process");
    if (child == 0)
        analyse(path, detector, ends[1]);
    close(ends[1]);
    bool whole = read(ends[0], &measured, sizeof measured) == sizeof measured;
    close(ends[0]);
    if (wait4(child, &status, 0, &usage) != child || status != 0 || !whole)
        tool_failed("bench: the analysis of %s with %s failed", path, detector->name);
    measured.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return measured;
}
