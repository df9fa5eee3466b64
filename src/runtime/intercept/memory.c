/* The malloc family. The allocator behind us (glibc's, or another that the program is linked with) does the
 * work; we keep the book. New memory has no history: its shadow is emptied, and its beginning written.
 * free() is a write to the whole block.
 *
 * realloc() is a free, an allocation and a copy: it writes the old block and the beginning of the new one,
 * also where the allocator leaves the block in its place. What a library that is not instrumented reallocates
 * (libc the environment, under a lock of its own) begins anew: it may be ordered by means that we do not see.
 */
#include "runtime/intercept/memory.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>

#include "runtime/intercept/caller.h"
#include "runtime/stack.h"
#include "runtime/world.h"

/* NULL for a thread that is inside the runtime, or before there is one: what it allocates is nobody's
 * business. */
hot_inline struct thread *outside(void)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL)) {
        if (unlikely(shadow_base == 0))
            return NULL;
        t = thread_current();
    }
    return likely(t->inside == 0) ? t : NULL;
}

/* Blocks begin at a multiple of 8: what is left over at the end of one is nobody else's. */
static size_t whole(size_t size)
{
    return (size + 7) & -(size_t)8;
}

static void enter_in_book(struct thread *t, void *block, size_t size, uint32_t node)
{
    t->inside++;
    heap_add(&(struct heap_block){.address = (uintptr_t)block, .size = size, .node = node, .thread = t->id});
    thread_outside(t);
}

/* The thread is inside, and in the world. */
hot_inline void begins_anew(struct thread *t, uintptr_t block, size_t size)
{
    enum { LARGE = 1 << 15 }; /* perhaps not all of it is used */
    if (size < LARGE)
        shadow_touch(block, size);
    shadow_clear(block, size);
    t->era++;
}

/* Allocating a block writes it: a thread that uses the block must have got its address in a way that orders the two. (And
 * calloc() does write.) Of a large block only both ends are written: buffers are often used in part, and each written word
 * takes memory, and costs again when the block is freed. Blocks of uninstrumented libraries are left out, since these may
 * publish them by means that we do not see. */
static void begins_written(uintptr_t block, size_t size, uintptr_t pc)
{
    enum { END = 4096 };
    if (size == 0 || !caller_instrumented(pc))
        return;
    if (likely(size <= 2 * END)) {
        access_fresh(block, size, pc);
        return;
    }
    access_fresh(block, END, pc);
    access_fresh(block + size - END, END, pc);
}

void *memory_allocated(void *block, size_t size, uintptr_t pc)
{
    struct thread *t = likely(block != NULL) ? outside() : NULL;
    if (unlikely(t == NULL))
        return block;
    heap_prefetch((uintptr_t)block);
    t->inside++;
    world_enter(t);
    begins_anew(t, (uintptr_t)block, whole(size));
    heap_add(&(struct heap_block){
        .address = (uintptr_t)block, .size = size, .node = stack_node_with(t, pc), .thread = t->id});
    world_leave(t);
    thread_outside(t);
    begins_written((uintptr_t)block, whole(size), pc);
    return block;
}

/* Is the block a mapping of its own, which goes back to the kernel? glibc says so in front of it. */
static bool is_mapping(const void *block, size_t size)
{
    enum { FROM = 64 << 10, IS_MMAPPED = 2 };
    return unlikely(size >= FROM) && memory_uses_libc && ((const size_t *)block)[-1] & IS_MMAPPED;
}

/* Takes the block out of the book; false: it was not in it. */
hot_inline bool strike_out(struct thread *t, void *block, enum heap_way way, uintptr_t pc, size_t *size)
{
    if (unlikely(t == NULL)) /* inside the runtime: only the book has to be right */
        return heap_remove((uintptr_t)block, &(struct heap_end){0}, size);
    t->inside++;
    struct heap_end end = {.pc = pc, .node = stack_node(t), .thread = t->id, .way = way};
    bool found = heap_remove((uintptr_t)block, &end, size);
    thread_outside(t);
    return found;
}

/* The dynamic linker's own blocks are among others what threads had of a library's thread-local variables. It frees them
 * when their thread has ended, in whichever thread comes by, and orders that by means of its own. */
static bool is_linker(uintptr_t pc)
{
    static uintptr_t known_end;
    uintptr_t base = _r_debug.r_ldbase, end = load_relaxed(&known_end);
    if (base == 0 || pc < base)
        return false;
    if (unlikely(end == 0)) {
        const ElfW(Ehdr) *header = (const void *)base;
        const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
        for (int i = 0; i < header->e_phnum; i++)
            if (segment[i].p_type == PT_LOAD && base + segment[i].p_vaddr + segment[i].p_memsz > end)
                end = base + segment[i].p_vaddr + segment[i].p_memsz;
        store_relaxed(&known_end, end);
    }
    return pc < end;
}

/* Before the memory may be somebody else's. A use of unmapped memory crashes: nobody can race with its free
 * any more, which is therefore not remembered, so that its shadow goes back to the kernel too. */
static void give_up(uintptr_t block, size_t size, bool mapping, uintptr_t pc)
{
    if (size == 0)
        return;
    if (unlikely(is_linker(pc))) {
        world_clear(block, whole(size));
        return;
    }
    if (!mapping) {
        access_free(block, whole(size), pc);
        return;
    }
    access_unmapping(block, size, pc);
    world_clear(block, whole(size));
}

/* The thread that frees, like outside(). A thread that the C library has created for a callback frees its argument first: that
 * does not make it known, as the callback will (notice.c). */
static struct thread *freeing_thread(uintptr_t pc)
{
    return likely(thread_self != NULL) || caller_instrumented(pc) ? outside() : NULL;
}

void memory_freeing(void *block, enum heap_way way, uintptr_t pc)
{
    heap_prefetch((uintptr_t)block);
    struct thread *t = freeing_thread(pc);
    size_t size;
    if (unlikely(shadow_base == 0) || !strike_out(t, block, way, pc, &size) || t == NULL)
        return;
    give_up((uintptr_t)block, size, is_mapping(block, size), pc);
}

void memory_give(void *block)
{
    struct thread *t = thread_allocator_begin();
    REAL(free)(block);
    thread_allocator_end(t);
}

/* --- malloc and free --- */

INTERCEPT void *malloc(size_t size)
{
    if (unlikely(load_relaxed(&memory_own)))
        store_relaxed(&memory_own, false);
    return memory_allocated(ALLOCATOR(REAL(malloc)(size)), size, CALLER_PC);
}

INTERCEPT void *calloc(size_t count, size_t size)
{
    return memory_allocated(ALLOCATOR(REAL(calloc)(count, size)), count * size, CALLER_PC);
}

INTERCEPT void free(void *block)
{
    if (block == NULL)
        return;
    int error = errno;
    memory_freeing(block, HEAP_FREE, CALLER_PC);
    memory_give(block);
    errno = error;
}

/* Under names that nobody can replace. */
extern HIDDEN void own_free(void *block);
extern HIDDEN void *own_realloc(void *block, size_t size);
extern HIDDEN void own_ZdlPv(void *block), own_ZdaPv(void *block); /* intercept/new.c */
__asm__(".hidden own_malloc, own_free, own_realloc\n\t"
        ".globl own_malloc, own_free, own_realloc\n\t"
        ".set own_malloc, malloc\n\t"
        ".set own_free, free\n\t"
        ".set own_realloc, realloc");

bool memory_is_ours(void)
{
    void *(*volatile used_malloc)(size_t) = malloc; /* what the dynamic linker has chosen */
    void (*volatile used_free)(void *) = free;
    return used_malloc == own_malloc && used_free == own_free;
}

uintptr_t memory_freed_by(const struct thread *t)
{
    static const void *const function[] = {[HEAP_FREE] = own_free,
                                           [HEAP_REALLOC] = own_realloc,
                                           [HEAP_DELETE] = own_ZdlPv,
                                           [HEAP_DELETE_ARRAY] = own_ZdaPv};
    return (uintptr_t)function[heap_last_way(t)];
}

/* --- realloc --- */

/* The block is still there, though written off: what was known of its bytes is not. */
static void take_back(uintptr_t block, size_t size)
{
    struct heap_ended ended;
    world_clear(block, whole(size));
    if (heap_ended(block, true, &ended))
        heap_add(&ended.block);
}

/* The bytes from `old` on are new. What `old` ends in has been the block's before. */
static void clear_from(struct thread *t, uintptr_t block, size_t old, size_t new)
{
    old = whole(old);
    if (old >= new)
        return;
    t->inside++;
    world_enter(t);
    begins_anew(t, block + old, whole(new) - old);
    world_leave(t);
    thread_outside(t);
}

static void *reallocated(void *block, size_t size, uintptr_t pc)
{
    size_t old;
    struct thread *t = outside();
    if (t == NULL) {
        if (shadow_base != 0)
            strike_out(NULL, block, HEAP_REALLOC, pc, &old);
        return ALLOCATOR(REAL(realloc)(block, size));
    }
    if (size > PTRDIFF_MAX) /* fails, and the block stays as it is */
        return ALLOCATOR(REAL(realloc)(block, size));
    if (!strike_out(t, block, HEAP_REALLOC, pc, &old))
        return memory_allocated(ALLOCATOR(REAL(realloc)(block, size)), size, pc);
    bool mapping = is_mapping(block, old);
    give_up((uintptr_t)block, old, mapping, pc);
    void *moved = ALLOCATOR(REAL(realloc)(block, size));
    if (moved == NULL) {
        t->inside++;
        take_back((uintptr_t)block, old);
        thread_outside(t);
        return NULL;
    }
    size_t kept = caller_module(pc) != NULL ? min_size(old, size) : 0;
    clear_from(t, (uintptr_t)moved, moved != block || kept == 0 ? 0 : old, size);
    if ((moved != block || mapping) && kept > 0)
        access_slow((uintptr_t)moved, kept, PLAIN_WRITE, pc);
    else if (kept > 0) /* where the book has its entries, the words have to say that they were written */
        access_slow((uintptr_t)moved, min_size(whole(old), HEAP_ENTRY_BYTES), PLAIN_WRITE, pc);
    enter_in_book(t, moved, size, stack_node_with(t, pc));
    if (whole(size) > whole(old))
        begins_written((uintptr_t)moved + whole(old), whole(size) - whole(old), pc);
    return moved;
}

static void *realloc_at(void *block, size_t size, uintptr_t pc)
{
    if (block == NULL)
        return memory_allocated(ALLOCATOR(REAL(malloc)(size)), size, pc);
    if (size == 0) {
        memory_freeing(block, HEAP_REALLOC, pc);
        return memory_allocated(ALLOCATOR(REAL(realloc)(block, 0)), 0, pc);
    }
    return reallocated(block, size, pc);
}

INTERCEPT void *realloc(void *block, size_t size)
{
    return realloc_at(block, size, CALLER_PC);
}

INTERCEPT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc_at(block, bytes, CALLER_PC);
}

/* Who asks may use all of it from then on. */
INTERCEPT size_t malloc_usable_size(void *block)
{
    size_t usable = ALLOCATOR(REAL(malloc_usable_size)(block)), before;
    struct thread *t = block != NULL ? outside() : NULL;
    if (t == NULL)
        return usable;
    t->inside++;
    if (heap_grow((uintptr_t)block, usable, &before))
        clear_from(t, (uintptr_t)block, before, usable);
    thread_outside(t);
    return usable;
}

/* --- aligned memory: arguments and errors are the real functions' business --- */

INTERCEPT void *memalign(size_t alignment, size_t size)
{
    return memory_allocated(ALLOCATOR(REAL(memalign)(alignment, size)), size, CALLER_PC);
}

INTERCEPT void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_allocated(ALLOCATOR(REAL(aligned_alloc)(alignment, size)), size, CALLER_PC);
}

INTERCEPT int posix_memalign(void **result, size_t alignment, size_t size)
{
    int failed = ALLOCATOR(REAL(posix_memalign)(result, alignment, size));
    if (failed != 0)
        return failed;
    struct thread *t = outside();
    if (t != NULL)
        object_written(t, result, sizeof *result, CALLER_PC);
    memory_allocated(*result, size, CALLER_PC);
    return 0;
}

INTERCEPT void *valloc(size_t size)
{
    return memory_allocated(ALLOCATOR(REAL(valloc)(size)), size, CALLER_PC);
}

INTERCEPT void *pvalloc(size_t size)
{
    enum { PAGE = 4096 };
    size_t whole = (size + PAGE - 1) & -(size_t)PAGE;
    return memory_allocated(ALLOCATOR(REAL(pvalloc)(size)), whole, CALLER_PC);
}
