/* The name that somebody meant who wrote another: one that differs by a few letters. Used inside the program under
 * test as well: nothing here uses libc. */
#pragma once

#include "base/base.h"

struct nearest {
    const char *wanted; /* what was written */
    size_t length;
    const char *name; /* the nearest of those considered; NULL: none is near */
    size_t distance;
};

/* A third of the letters may be wrong, left out, put in, or in the wrong order; or it is the beginning of the name, by four
 * letters, or by three that are half of it.
 * Of several that are equally near, the first is meant. */
void nearest_consider(struct nearest *nearest, const char *name);
