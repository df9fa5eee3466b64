/* One run of a program that was built for one of the tools, and what came of it. */
#pragma once

#include "base/base.h"

enum run_verdict { RUN_RIGHT, RUN_WRONG, RUN_RACE, RUN_CRASHED, RUN_TIMED_OUT, RUN_MISSING, RUN_VERDICTS };

struct live_run {
    enum run_verdict verdict;
    double wall, cpu; /* seconds; cpu: user and system, of all its threads and children */
    double megabytes; /* peak, resident */
};

/* Runs `binary THREADS`, which checks its own result (bench/programs/program.h). */
struct live_run live_run(const char *binary, unsigned threads, unsigned timeout_seconds);

/* What tables say of it. */
const char *live_verdict(enum run_verdict verdict);
