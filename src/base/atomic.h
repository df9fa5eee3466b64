/* Atomic operations named by their order. Plain C objects are accessed through them; nothing else touches an
 * object that several threads share. */
#pragma once

#include "base/base.h"

#define load_relaxed(p)        __atomic_load_n(p, __ATOMIC_RELAXED)
#define load_acquire(p)        __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_relaxed(p, v)    __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define store_release(p, v)    __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define add_relaxed(p, v)      __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define or_relaxed(p, v)       __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define add_acq_rel(p, v)      __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define exchange_acquire(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define exchange_acq_rel(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)
/* *p: expected -> desired; on failure *expected is what was there. */
#define cas_relaxed(p, expected, d)                                                                          \
    __atomic_compare_exchange_n(p, expected, d, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cas_acq_rel(p, expected, d)                                                                          \
    __atomic_compare_exchange_n(p, expected, d, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define fence_seq_cst() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* *p: expected -> desired, in one instruction, which is atomic only against what else the same thread does: its signal
 * handlers. */
hot_inline bool cas_alone(uint64_t *p, uint64_t expected, uint64_t desired)
{
    bool done;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(*p), "+a"(expected) : "r"(desired) : "memory");
    return done;
}
