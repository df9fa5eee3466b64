/* A table that is filled cell by cell, row by row, and then printed aligned and written as CSV.
 *
 * Cells are texts; none contains a comma, a quote or a newline.
 */
#pragma once

#include <stdio.h>

#include "base/mem.h"

enum { MOST_COLUMNS = 24, LONGEST_CELL = 40 };

struct table {
    const char *title;
    bool left[MOST_COLUMNS]; /* how the column is aligned */
    size_t columns;
    char (*cell)[LONGEST_CELL];
    size_t cells, capacity;
    struct mem mem;
};

/* columns: their names, separated by '|'; those that begin with '<' are aligned left, the others right. */
void table_open(struct table *table, const char *title, const char *columns);
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the table, writes OUT/name.csv, and frees it. */
void table_close(struct table *table, const char *out, const char *name);

/* Opens OUT/name.ending for writing; ends the program if it cannot. */
FILE *table_create(const char *out, const char *name, const char *ending);
