/* The book of the heap, for the functions that give out memory and take it back: the malloc family, operator new
 * and delete. */
#pragma once

#include "runtime/heap.h"
#include "runtime/intercept/real.h"

/* A call of the allocator behind us: what it synchronizes orders nothing for the program. */
#define ALLOCATOR(call)                                                                                      \
    ({                                                                                                       \
        struct thread *in_allocator_ = thread_allocator_begin();                                             \
        __auto_type result_ = call;                                                                          \
        thread_allocator_end(in_allocator_);                                                                 \
        result_;                                                                                             \
    })

HIDDEN void memory_give(void *block); /* the real free() */

/* Is this code part of the allocator? True for the uninstrumented library that provides malloc(), and for libraries that
 * only it needs. Its malloc() may be called before ours (LD_PRELOAD), and it may work in threads of its own and when
 * threads end. */
HIDDEN bool memory_is_allocator(uintptr_t pc);
HIDDEN void memory_find_allocator(void);
/* malloc() is libc's. (The name __libc_malloc does not tell: other allocators have one, too.) Written at the start. */
extern HIDDEN bool memory_uses_libc;
/* Blocks are given out and taken back by an allocator that precedes ours: not all is checked, and one line has said so. */
extern HIDDEN bool memory_unseen;

/* The program defines malloc(), and that has not called ours so far. */
extern HIDDEN bool memory_own;
HIDDEN void memory_tell_own(void);

/* After the real function: the block is new, and written by the thread. Returns the block; NULL is none. */
HIDDEN void *memory_allocated(void *block, size_t size, uintptr_t pc);

/* Before the real function: the block is written to, all of it, for the last time. What is not in the book is
 * none of our business. */
HIDDEN void memory_freeing(void *block, enum heap_way way, uintptr_t pc);

/* The function of ours with which the thread is giving a block back. */
HIDDEN uintptr_t memory_freed_by(const struct thread *t);

/* Are malloc() and free() ours, or has the program some of its own? */
HIDDEN bool memory_is_ours(void);
/* Ours, under a name that nobody can replace. */
extern HIDDEN void *own_malloc(size_t size);
