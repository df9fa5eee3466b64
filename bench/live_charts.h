/* The measured cells as bar charts: OUT/live.svg with the means of the groups and of all, OUT/live-GROUP.svg
 * with the programs of a group. */
#pragma once

#include "live_cells.h"

void live_write_charts(const struct cells *cells, const char *out);
