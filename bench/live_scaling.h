/* How the cost of running programs grows with one thing (bench/live --scaling): the number of threads, the
 * size of the working set, the number of mutexes. Prints tables, and writes OUT/scaling-NAME.csv and .svg. */
#pragma once

#include "live_cells.h"

/* True: something of ours failed. */
bool live_scaling(struct measuring *measuring, const struct programs *programs, const char *out);
