/* <tsan_interface_java.h>, as far as the programs here use it, and a heap for it. */
#pragma once

#include <stddef.h>

void __tsan_java_init(unsigned long heap, unsigned long size);
int __tsan_java_fini(void);
void __tsan_java_alloc(unsigned long object, unsigned long size);
void __tsan_java_free(unsigned long object, unsigned long size);
void __tsan_java_move(unsigned long from, unsigned long to, unsigned long size);
void __tsan_java_finalize(void);
unsigned long __tsan_java_find(unsigned long *from, unsigned long to);
void __tsan_java_mutex_lock(unsigned long monitor);
void __tsan_java_mutex_unlock(unsigned long monitor);
void __tsan_java_mutex_lock_rec(unsigned long monitor, int levels);
int __tsan_java_mutex_unlock_rec(unsigned long monitor);

enum { JAVA_HEAP = 4096 };
static long java_heap[JAVA_HEAP / 8] __attribute__((aligned(4096)));

static inline unsigned long java_at(size_t offset)
{
    return (unsigned long)java_heap + offset;
}

static inline volatile int *java_int(size_t offset)
{
    return (volatile int *)java_at(offset);
}

static inline void java_begin(void)
{
    __tsan_java_init(java_at(0), sizeof java_heap);
}
