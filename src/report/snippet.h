/* A few lines of a source file, around one that matters. */
#pragma once

#include <stdio.h>

#include "report/live.h"

/* A source file whose lines are those that were compiled, as far as one can tell: NULL where it is not there, is no
 * plain file (a report may name anything), or is newer than the module. */
FILE *snippet_open(const char *path, const char *module);

struct snippet {
    uint32_t first; /* number of the first line, from 1 */
    size_t count;   /* 0: none */
    const char *
        *line; /* without its end; tabs are blanks, what cannot be printed is '?', long ones are cut */
};

/* The line of the frame and `around` before and after it; none where snippet_open() gives none. In the pool. */
struct snippet snippet_of(struct pool *pool, const struct live_frame *frame, unsigned around);
