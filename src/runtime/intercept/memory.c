/* The malloc family. glibc's allocator does the work (under the names it exports for this); we keep the book.
 * New memory has no history: its shadow is emptied. free() is a write to the whole block. operator new and delete
 * come here through malloc and free. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "runtime/heap.h"
#include "runtime/intercept/real.h"
#include "runtime/stack.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Blocks this large come from mmap and go back to the kernel: their shadow goes with them. */
enum { LARGE = 128 << 10 };

/* NULL for a thread that is inside the runtime, or before there is one: what it allocates is nobody's business. */
static struct thread *outside(void)
{
    if (unlikely(shadow_base == 0))
        return NULL;
    struct thread *t = thread_current();
    return t->inside == 0 ? t : NULL;
}

static void *allocated(void *block, size_t size, uintptr_t pc)
{
    struct thread *t = outside();
    if (unlikely(block == NULL || t == NULL))
        return block;
    t->inside++;
    shadow_clear((uintptr_t)block, size);
    heap_add(&(struct heap_block){.address = (uintptr_t)block,
                                  .size = size,
                                  .node = stack_node_with(t, pc),
                                  .thread = t->id});
    t->inside--;
    return block;
}

static void freed(void *block, uintptr_t pc)
{
    struct thread *t = outside();
    struct heap_block known;
    if (unlikely(t == NULL) || !heap_remove((uintptr_t)block, &known) || known.size == 0)
        return;
    access_free(known.address, known.size, pc);
    if (known.size >= LARGE)
        shadow_clear(known.address, known.size);
}

INTERCEPT void *malloc(size_t size)
{
    return allocated(__libc_malloc(size), size, CALLER_PC);
}

INTERCEPT void *calloc(size_t count, size_t size)
{
    return allocated(__libc_calloc(count, size), count * size, CALLER_PC);
}

INTERCEPT void free(void *block)
{
    if (block == NULL)
        return;
    int error = errno;
    freed(block, CALLER_PC);
    __libc_free(block);
    errno = error;
}

/* Always moves: the old block is freed, which is what a race with it is reported against. */
INTERCEPT void *realloc(void *block, size_t size)
{
    uintptr_t pc = CALLER_PC;
    if (block == NULL)
        return allocated(__libc_malloc(size), size, pc);
    if (size == 0) {
        free(block);
        return NULL;
    }
    void *moved = allocated(__libc_malloc(size), size, pc);
    if (moved == NULL)
        return NULL;
    size_t old = malloc_usable_size(block);
    __builtin_memcpy(moved, block, old < size ? old : size);
    freed(block, pc);
    __libc_free(block);
    return moved;
}

INTERCEPT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

INTERCEPT void *memalign(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, CALLER_PC);
}

INTERCEPT void *aligned_alloc(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, CALLER_PC);
}

INTERCEPT int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int error = errno;
    void *block = allocated(__libc_memalign(alignment, size), size, CALLER_PC);
    errno = error;
    if (block == NULL)
        return ENOMEM;
    *result = block;
    return 0;
}

enum { PAGE = 4096 };

INTERCEPT void *valloc(size_t size)
{
    return allocated(__libc_memalign(PAGE, size), size, CALLER_PC);
}

INTERCEPT void *pvalloc(size_t size)
{
    size_t whole = (size + PAGE - 1) & -(size_t)PAGE;
    return allocated(__libc_memalign(PAGE, whole), whole, CALLER_PC);
}
