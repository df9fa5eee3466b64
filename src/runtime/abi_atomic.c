/* The compiler's entry points for atomic operations: __tsan_atomic{8,16,32,64,128}_*, and fences.
 *
 * Each does the real operation between atomic_begin and one of atomic_loaded, atomic_stored, atomic_modified,
 * which is where the meaning is (runtime/atomic_sync.h). The real operation is sequentially consistent, which
 * on x86-64 only a store pays for: so a store is that only when asked to be.
 */
#include <cpuid.h>

#ifdef PF_GENERIC
#include "runtime/host/atomic_quick.h"
#else
#include "runtime/atomic_quick.h"
#endif

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

/* --- the real operations: real_<operation>_<bits> --- */

#define FETCH_OPERATIONS(X, ...)                                                                             \
    X(fetch_add, old + v, __VA_ARGS__)                                                                       \
    X(fetch_sub, old - v, __VA_ARGS__)                                                                       \
    X(fetch_and, old &v, __VA_ARGS__)                                                                        \
    X(fetch_or, old | v, __VA_ARGS__)                                                                        \
    X(fetch_xor, old ^ v, __VA_ARGS__)                                                                       \
    X(fetch_nand, ~(old & v), __VA_ARGS__)

#define REAL_FETCH(name, new, bits, type)                                                                    \
    hot_inline type real_##name##_##bits(volatile type *a, type v)                                           \
    {                                                                                                        \
        return __atomic_##name(a, v, __ATOMIC_SEQ_CST);                                                      \
    }

#define REAL(bits, type)                                                                                     \
    hot_inline type real_load_##bits(const volatile type *a)                                                 \
    {                                                                                                        \
        return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                         \
    }                                                                                                        \
    hot_inline void real_store_##bits(volatile type *a, type v, int order)                                   \
    {                                                                                                        \
        if (order_is_seq_cst(order))                                                                         \
            __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                        \
        else                                                                                                 \
            __atomic_store_n(a, v, __ATOMIC_RELEASE);                                                        \
    }                                                                                                        \
    hot_inline type real_exchange_##bits(volatile type *a, type v)                                           \
    {                                                                                                        \
        return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                        \
    hot_inline bool real_compare_exchange_##bits(volatile type *a, type *expected, type v)                   \
    {                                                                                                        \
        return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    }                                                                                                        \
    FETCH_OPERATIONS(REAL_FETCH, bits, type)

REAL(8, uint8_t)
REAL(16, uint16_t)
REAL(32, uint32_t)
REAL(64, uint64_t)

/* 16 bytes: cmpxchg16b. A load must not write (the memory may be read-only); processors with AVX load 16
 * aligned bytes at once. */

typedef unsigned __int128 wide;

static inline bool real_compare_exchange_128(volatile wide *a, wide *expected, wide v)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*a), "+a"(low), "+d"(high)
                     : "b"((uint64_t)v), "c"((uint64_t)(v >> 64))
                     : "memory");
    *expected = (wide)high << 64 | low;
    return done;
}

static bool has_avx(void)
{
    static int known; /* 1: no, 2: yes. Several threads may find out at once. */
    int answer = load_relaxed(&known);
    if (unlikely(answer == 0)) {
        unsigned a, b, c = 0, d;
        answer = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AVX) ? 2 : 1;
        store_relaxed(&known, answer);
    }
    return answer == 2;
}

static inline wide real_load_128(const volatile wide *a)
{
    wide value = 0;
    if (likely(has_avx())) {
        uint64_t part[2] __attribute__((aligned(16)));
        __asm__ volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0" : "=m"(part) : "m"(*a) : "xmm0", "memory");
        return (wide)part[1] << 64 | part[0];
    }
    real_compare_exchange_128((volatile wide *)a, &value, 0);
    return value;
}

#define WIDE_MODIFY(name, new, ...)                                                                          \
    static inline wide real_##name##_128(volatile wide *a, wide v)                                           \
    {                                                                                                        \
        wide old = real_load_128(a);                                                                         \
        while (!real_compare_exchange_128(a, &old, new)) {                                                   \
        }                                                                                                    \
        return old;                                                                                          \
    }

FETCH_OPERATIONS(WIDE_MODIFY, )
WIDE_MODIFY(exchange, v)

static inline void real_store_128(volatile wide *a, wide v, int order)
{
    (void)order;
    real_exchange_128(a, v);
}

/* --- the entry points --- */

#define LOAD(bits, type)                                                                                     \
    ENTRY type __tsan_atomic##bits##_load(const volatile type *a, int order);                                \
    ENTRY type __tsan_atomic##bits##_load(const volatile type *a, int order)                                 \
    {                                                                                                        \
        struct atomic_glance g;                                                                              \
        if (sizeof(type) <= 8 && atomic_only_do(a, sizeof(type), ATOMIC_READ, order, CALLER_PC)) {           \
            type value = real_load_##bits(a);                                                                \
            atomic_done();                                                                                   \
            return value;                                                                                    \
        }                                                                                                    \
        if (sizeof(type) <= 8 && likely(atomic_glance(&g, a, sizeof(type)))) {                               \
            type value = real_load_##bits(a);                                                                \
            if (likely(atomic_glanced_again(&g, a, sizeof(type), order, CALLER_PC)))                         \
                return value;                                                                                \
        }                                                                                                    \
        struct atomic_step s;                                                                                \
        bool modelled = atomic_begin(&s, a, sizeof(type), ATOMIC_LOAD, order);                               \
        type value = real_load_##bits(a);                                                                    \
        if (likely(modelled))                                                                                \
            atomic_loaded(&s, sizeof(type), order, CALLER_PC);                                               \
        return value;                                                                                        \
    }

#define STORE(bits, type)                                                                                    \
    ENTRY void __tsan_atomic##bits##_store(volatile type *a, type v, int order);                             \
    ENTRY void __tsan_atomic##bits##_store(volatile type *a, type v, int order)                              \
    {                                                                                                        \
        struct atomic_step s;                                                                                \
        bool modelled = atomic_begin(&s, a, sizeof(type), ATOMIC_STORE, order);                              \
        real_store_##bits(a, v, order);                                                                      \
        if (likely(modelled))                                                                                \
            atomic_stored(&s, sizeof(type), order, CALLER_PC);                                               \
    }

#define MODIFY(name, new, bits, type)                                                                        \
    ENTRY type __tsan_atomic##bits##_##name(volatile type *a, type v, int order);                            \
    ENTRY type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)                             \
    {                                                                                                        \
        if (sizeof(type) <= 8 && atomic_only_do(a, sizeof(type), ATOMIC_WRITE, order, CALLER_PC)) {          \
            type old = real_##name##_##bits(a, v);                                                           \
            atomic_done();                                                                                   \
            return old;                                                                                      \
        }                                                                                                    \
        struct atomic_step s;                                                                                \
        bool modelled = atomic_begin(&s, a, sizeof(type), ATOMIC_MODIFY, order);                             \
        type old = real_##name##_##bits(a, v);                                                               \
        if (likely(modelled))                                                                                \
            atomic_modified(&s, sizeof(type), order, CALLER_PC);                                             \
        return old;                                                                                          \
    }

/* A weak exchange may fail for no reason, but need not. */
#define COMPARE_EXCHANGE(bits, type)                                                                         \
    static inline bool compare_exchange_##bits(volatile type *a, type *expected, type v, int order,          \
                                               int failure, uintptr_t pc)                                    \
    {                                                                                                        \
        struct atomic_step s;                                                                                \
        bool modelled = atomic_begin(&s, a, sizeof(type), ATOMIC_MODIFY, order);                             \
        bool done = real_compare_exchange_##bits(a, expected, v);                                            \
        if (unlikely(!modelled))                                                                             \
            return done;                                                                                     \
        if (done)                                                                                            \
            atomic_modified(&s, sizeof(type), order, pc);                                                    \
        else                                                                                                 \
            atomic_loaded(&s, sizeof(type), failure, pc);                                                    \
        return done;                                                                                         \
    }                                                                                                        \
    ENTRY int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *expected, type v,        \
                                                            int order, int failure);                         \
    ENTRY int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *expected, type v,        \
                                                            int order, int failure)                          \
    {                                                                                                        \
        type seen = *expected;                                                                               \
        bool done = compare_exchange_##bits(a, &seen, v, order, failure, CALLER_PC);                         \
        if (!done)                                                                                           \
            *expected = seen;                                                                                \
        return done;                                                                                         \
    }                                                                                                        \
    ENTRY int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *expected, type v,          \
                                                          int order, int failure);                           \
    ENTRY int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *expected, type v,          \
                                                          int order, int failure)                            \
    {                                                                                                        \
        type seen = *expected;                                                                               \
        bool done = compare_exchange_##bits(a, &seen, v, order, failure, CALLER_PC);                         \
        if (!done)                                                                                           \
            *expected = seen;                                                                                \
        return done;                                                                                         \
    }                                                                                                        \
    ENTRY type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v,           \
                                                          int order, int failure);                           \
    ENTRY type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v,           \
                                                          int order, int failure)                            \
    {                                                                                                        \
        compare_exchange_##bits(a, &expected, v, order, failure, CALLER_PC);                                 \
        return expected;                                                                                     \
    }

#define ATOMIC(bits, type)                                                                                   \
    LOAD(bits, type)                                                                                         \
    STORE(bits, type)                                                                                        \
    MODIFY(exchange, v, bits, type)                                                                          \
    FETCH_OPERATIONS(MODIFY, bits, type)                                                                     \
    COMPARE_EXCHANGE(bits, type)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, wide)

ENTRY void __tsan_atomic_thread_fence(int order);
ENTRY void __tsan_atomic_thread_fence(int order)
{
    if (order_is_seq_cst(order))
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    atomic_fence(order);
}

/* Orders a thread and its own signal handlers, which are one thread to us. */
ENTRY void __tsan_atomic_signal_fence(int order);
ENTRY void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
