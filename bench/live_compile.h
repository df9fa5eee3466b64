/* What building the real programs took (bench/live --real): CPU seconds of one job at a time, configuring
 * left out, the median of the builds with the same compiler. */
#pragma once

#include "live_build.h"

struct compile_times {
    const struct programs *programs;
    double seconds[MOST_PROGRAMS][TOOLS]; /* NaN: was not built */
    unsigned builds[MOST_PROGRAMS][TOOLS];
};

void compile_times_read(struct compile_times *times, const struct live_builder *builder,
                        const struct programs *programs);

/* The table, and how the largest program stands to the aim. Prints nothing where nothing was built. */
void live_print_compile(const struct compile_times *times, const char *out);
