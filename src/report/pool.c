#include "report/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pool_chunk {
    struct pool_chunk *before;
    size_t size;
};

enum { CHUNK_BYTES = 16 << 10, HEADER_BYTES = 16 };
_Static_assert(sizeof(struct pool_chunk) <= HEADER_BYTES, "");

void *pool_take(struct pool *pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (pool->chunk == NULL || pool->chunk->size - pool->used < size) {
        size_t bytes = size + HEADER_BYTES > CHUNK_BYTES ? size + HEADER_BYTES : CHUNK_BYTES;
        struct pool_chunk *chunk = mem_alloc(&pool->mem, bytes);
        *chunk = (struct pool_chunk){.before = pool->chunk, .size = bytes};
        pool->chunk = chunk;
        pool->used = HEADER_BYTES;
    }
    void *taken = (char *)pool->chunk + pool->used;
    pool->used += size;
    return taken;
}

char *pool_text(struct pool *pool, const char *text, size_t length)
{
    char *copy = pool_take(pool, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *pool_format(struct pool *pool, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    require(length >= 0);
    char *text = pool_take(pool, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void pool_free(struct pool *pool)
{
    while (pool->chunk != NULL) {
        struct pool_chunk *chunk = pool->chunk;
        pool->chunk = chunk->before;
        mem_free(&pool->mem, chunk, chunk->size);
    }
    pool->used = 0;
}
