/* base/mem.h for detectors inside the program under test: the same functions over memory of our own.
 *
 * Small blocks come in powers of two, with a list of free ones each; large ones are mappings, which the
 * kernel moves instead of us copying them when they grow. Only the generic host calls, under its lock.
 */
#include "base/mem.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/out.h"

enum { LEAST_SHIFT = 4, MOST_SHIFT = 15, PAGE = 4096 };

static struct arena memory;
static struct free_block {
    struct free_block *next;
} * free_blocks[MOST_SHIFT + 1]; /* by the shift of their size */

/* What require() and no_memory() use: %s, %d, %zu. */
void tool_failed(const char *format, ...)
{
    struct out out = {.fd = 2};
    va_list args;
    va_start(args, format);
    out_text(&out, "photofinish: ");
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%')
            out_bytes(&out, at, 1);
        else if (*++at == 's')
            out_text(&out, va_arg(args, const char *));
        else if (*at == 'd')
            out_number(&out, (uint64_t)va_arg(args, int));
        else if (*at == 'z' && *++at == 'u')
            out_number(&out, va_arg(args, size_t));
    }
    va_end(args);
    out_text(&out, "\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

static bool is_large(size_t size)
{
    return size > (size_t)1 << MOST_SHIFT;
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & -(size_t)PAGE;
}

static unsigned shift_of(size_t size)
{
    return size <= 1u << LEAST_SHIFT ? LEAST_SHIFT : 64 - (unsigned)__builtin_clzl(size - 1);
}

static void *take(size_t size)
{
    if (is_large(size))
        return arena_pages(whole_pages(size));
    unsigned shift = shift_of(size);
    struct free_block *block = free_blocks[shift];
    if (block == NULL)
        return arena_take(&memory, (size_t)1 << shift);
    free_blocks[shift] = block->next;
    memset(block, 0, size);
    return block;
}

static void give(void *block, size_t size)
{
    if (is_large(size)) {
        arena_pages_free(block, whole_pages(size));
        return;
    }
    struct free_block *free = block;
    free->next = free_blocks[shift_of(size)];
    free_blocks[shift_of(size)] = free;
}

static void *moved(void *old, size_t old_size, size_t new_size)
{
    void *block = take(new_size);
    memcpy(block, old, old_size < new_size ? old_size : new_size);
    give(old, old_size);
    return block;
}

static void *resized_pages(void *old, size_t old_size, size_t new_size)
{
    long block = sys_call6(SYS_mremap, (long)old, (long)whole_pages(old_size), (long)whole_pages(new_size),
                           MREMAP_MAYMOVE, 0, 0);
    if (block < 0 && block > -PAGE)
        tool_failed("out of memory: %zu bytes wanted by the race detector", new_size);
    return (void *)block;
}

static void *resized(void *old, size_t old_size, size_t new_size)
{
    bool large = is_large(old_size) && is_large(new_size);
    if (large)
        old = resized_pages(old, old_size, new_size);
    else if (is_large(old_size) || is_large(new_size) || shift_of(old_size) != shift_of(new_size))
        return moved(old, old_size, new_size);
    /* What is new may have been used before; further pages of a mapping are new indeed. */
    size_t dirty = large ? min_size(new_size, whole_pages(old_size)) : new_size;
    if (dirty > old_size)
        memset((char *)old + old_size, 0, dirty - old_size);
    return old;
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
    charge(mem, new_size, old_size);
    if (old_size == 0)
        return new_size == 0 ? NULL : take(new_size);
    if (new_size > 0)
        return resized(old, old_size, new_size);
    give(old, old_size);
    return NULL;
}

void mem_free(struct mem *mem, void *block, size_t size)
{
    mem_resize(mem, block, size, 0);
}

static void *reserve(struct mem *mem, void *array, size_t element, size_t *capacity, size_t need,
                     size_t extra)
{
    if (need <= *capacity)
        return array;
    size_t grown = *capacity + extra > need ? *capacity + extra : need;
    array = mem_resize(mem, array, *capacity * element, grown * element);
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
