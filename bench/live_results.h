/* Measured cells as data: OUT/live.csv, one line for each cell and tool, which is also read again; and
 * OUT/live.json. */
#pragma once

#include "live_cells.h"
#include "live_compile.h"
#include "live_machine.h"

/* Takes over what an earlier run measured; nothing if there is none. Programs that are no longer in the list
 * are left out. Cells stay in the order of the list. */
void results_load(struct cells *cells, const struct programs *programs, const char *out);

/* The cell of a program and a number of threads; added, in order, when there is none. What it returned before
 * is invalid then. */
struct cell *results_cell(struct cells *cells, const struct program *program, unsigned threads);

void results_save(const struct cells *cells, const char *out);
void results_write_json(const struct cells *cells, const struct compile_times *times,
                        const struct machine *machine, const char *out);
