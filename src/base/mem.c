#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tool_failed(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("photofinish: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_TOOL_FAILED);
}

static void charge(struct mem *mem, size_t added, size_t removed)
{
    mem->bytes += added;
    mem->bytes -= removed;
    mem->peak = mem->bytes > mem->peak ? mem->bytes : mem->peak;
}

void *mem_alloc(struct mem *mem, size_t size)
{
    return mem_resize(mem, NULL, 0, size);
}

void *mem_resize(struct mem *mem, void *old, size_t old_size, size_t new_size)
{
    if (new_size == 0) {
        mem_free(mem, old, old_size);
        return NULL;
    }
    /* calloc takes large zeroed blocks straight from the kernel, untouched until used. */
    void *block = old == NULL ? calloc(1, new_size) : realloc(old, new_size);
    if (block == NULL)
        tool_failed("out of memory: %zu bytes wanted, %zu in use", new_size, mem->bytes);
    if (old != NULL && new_size > old_size)
        memset((char *)block + old_size, 0, new_size - old_size);
    charge(mem, new_size, old_size);
    return block;
}

void mem_free(struct mem *mem, void *block, size_t size)
{
    free(block);
    charge(mem, 0, size);
}

static void *reserve(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need,
                     size_t extra)
{
    if (need <= *capacity)
        return array;
    size_t grown = *capacity + extra > need ? *capacity + extra : need;
    size_t new_size;
    if (__builtin_mul_overflow(grown, element, &new_size))
        tool_failed("out of memory: an array of %zu elements", grown);
    array = mem_resize(mem, array, *capacity * element, new_size);
    *capacity = grown;
    return array;
}

void *mem_reserve(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need)
{
    return reserve(mem, array, element, capacity, need, *capacity / 2 + 16);
}

void *mem_reserve_tight(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need)
{
    return reserve(mem, array, element, capacity, need, *capacity / 8 + 16);
}
