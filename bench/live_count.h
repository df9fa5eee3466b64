/* What the runtime does for each program (bench/live --count): a run with the library that counts
 * (src/base/count.h), for each placement of ours. Nothing is timed. */
#pragma once

#include "live_cells.h"

/* Those of the tools that can be counted. */
tool_set live_count_tools(tool_set tools);

/* library: the folder of the counting one. True: a run failed. */
bool live_count(const struct measuring *measuring, struct cell *const *cell, size_t count,
                const char *library, const char *out);

/* Only how many checks each placement makes, of the kernels: into the cells. What cannot be counted stays 0.
 */
tool_set live_checks_tools(tool_set tools, bool budget);
void live_count_checks(const struct measuring *measuring, struct cell *const *cell, size_t count,
                       tool_set tools, const char *library);
