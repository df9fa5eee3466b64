/* What bench/live prints: the measured cells as tables, and how they stand to the aims. */
#pragma once

#include "live_cells.h"

/* Multiples per program, with means per group and overall; the placements' overheads; races told; and, last,
 * one line a tool. */
void live_print_tables(const struct cells *cells, tool_set tools, const char *out);

/* An aim that the cells say nothing about is not printed. */
void live_print_aims(const struct cells *cells);
