/* Memory that is given back all at once: what belongs to one report, or to a table that lives as long as the
 * tool. */
#pragma once

#include "base/mem.h"

struct pool {
    struct mem mem;
    struct pool_chunk *chunk;
    size_t used; /* of the latest chunk */
};

void *pool_take(struct pool *pool, size_t size); /* zeroed, aligned to 16 */
char *pool_text(struct pool *pool, const char *text, size_t length);
char *pool_format(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pool_free(struct pool *pool);
