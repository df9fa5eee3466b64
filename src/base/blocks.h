/* Memory of any size that is given back, for code inside the program under test: free lists by size over an
 * arena. A block's memory stays readable for ever. */
#pragma once

#include "base/arena.h"

enum { BLOCK_CLASSES = 26 }; /* of 16, 32, 64 ... bytes */

struct blocks {
    struct arena arena;
    struct spin lock;
    void *free[BLOCK_CLASSES];
    size_t used; /* bytes given out and not given back */
};

/* Not zeroed. */
void *blocks_take(struct blocks *blocks, size_t size);
void blocks_give(struct blocks *blocks, void *block, size_t size); /* the size that was asked for */
