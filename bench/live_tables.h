/* What bench/live prints: the measured cells as tables, and how they stand to the aims. */
#pragma once

#include "live_cells.h"

/* Multiples per program, with means per group and overall; the thesis' tables; races told; and, last, one
 * line a tool. */
void live_print_tables(const struct cells *cells, tool_set tools, const char *out);

/* The cells for which its tools were asked for. */
void live_print_thesis(const struct cells *cells, const char *out);

struct table;

/* One cell of a table: a plain build's value; a tool's multiple, marked if it told a race; what happened
 * instead of a value; a mean. */
void live_put_plain(struct table *table, const struct cell *cell, enum value value, enum tool tool);
void live_put_multiple(struct table *table, const struct cell *cell, enum tool tool, double multiple);
void live_put_verdict(struct table *table, const struct cell *cell, enum tool tool);
void live_put_mean(struct table *table, struct mean mean);

/* An aim that the cells say nothing about is not printed. */
void live_print_aims(const struct cells *cells);
