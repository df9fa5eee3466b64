/* The benchmark programs, as bench/programs/list or bench/real/list has them: lines `NAME GROUP
 * SIZE_FOR_VALGRIND [racy]`, '#' begins a comment. Programs of one group stand together in the tables, in the
 * order of the list. */
#pragma once

#include "base/base.h"

enum { MOST_PROGRAMS = 128, MOST_GROUPS = 16 };

struct program {
    char name[32], group[16];
    size_t small; /* the size for tools under Valgrind */
    bool racy;    /* has races of its own; the others have none */
};

struct programs {
    size_t count;
    struct program program[MOST_PROGRAMS];
};

/* Programs that take part in no table, only in the plots of bench/live --scaling. */
#define GROUP_SCALING "scaling"

/* Those of the thesis' tables. */
#define GROUP_KERNELS "kernels"

/* Ends the tool with one line where the list cannot be read or understood. */
void programs_read(struct programs *programs, const char *path);

/* Ends the tool with one line where there is no such program. */
const struct program *programs_find(const struct programs *programs, const char *name);
