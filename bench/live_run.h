/* One run of a program that was built for one of the tools, and what came of it. */
#pragma once

#include "live_tools.h"

/* RUN_NONE: was not asked for. RUN_MISSING: the tool is not there; RUN_UNBUILT: it is, and could not build
 * the program. RUN_FAILED: exited with a status that says neither right nor wrong. */
enum run_verdict {
    RUN_NONE,
    RUN_RIGHT,
    RUN_WRONG,
    RUN_FAILED,
    RUN_CRASHED,
    RUN_TIMED_OUT,
    RUN_MISSING,
    RUN_UNBUILT,
    RUN_VERDICTS
};

struct live_run {
    enum run_verdict verdict;
    int status;       /* as wait() has it */
    size_t races;     /* distinct ones, as the tool counts them */
    double wall, cpu; /* seconds; cpu: user and system, of all its threads and children */
    double megabytes; /* peak, resident */
    char *output;     /* what program and tool wrote; the caller frees it */
};

/* What is run: `binary THREADS [SIZE]`, which checks its own result (bench/programs/program.h). size 0: its
 * default; threads 0: without arguments. The limit is of CPU time; five times that, of wall time. */
struct launch {
    const char *binary;
    bool real; /* it is the launcher of a real program (bench/real/launch.bash): it is asked to prepare the
                  run and to check the result, and starts Valgrind itself */
    unsigned threads, timeout_seconds;
    size_t size;
};

struct live_run live_run(enum tool tool, const struct launch *launch);

/* What tables say of it. */
const char *live_verdict(enum run_verdict verdict);

/* The verdict that tables say so. */
enum run_verdict live_verdict_named(const char *text);

/* The number of races that the tool's summary in the output tells; 0 if it has none. */
size_t live_races(enum tool tool, const char *output);
