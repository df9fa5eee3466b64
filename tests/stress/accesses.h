/* Accesses to memory that the detector sees, of all sizes and kinds: one at a time, and in loops.
 *
 * Those in loops, and the atomic ones, write themselves down (tests/stress/log.h); of the others their
 * callers do.
 */
#pragma once

#include "log.h"

#define ATOMIC_CALLS(bits, type)                                                                             \
    type __tsan_atomic##bits##_load(const volatile void *a, int order);                                      \
    void __tsan_atomic##bits##_store(volatile void *a, type v, int order);                                   \
    type __tsan_atomic##bits##_exchange(volatile void *a, type v, int order);                                \
    type __tsan_atomic##bits##_fetch_add(volatile void *a, type v, int order);                               \
    type __tsan_atomic##bits##_compare_exchange_val(volatile void *a, type e, type v, int order, int failure);
ATOMIC_CALLS(8, uint8_t)
ATOMIC_CALLS(16, uint16_t)
ATOMIC_CALLS(32, uint32_t)
ATOMIC_CALLS(64, uint64_t)

#define SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)
#define ACCESS(bytes, type)                                                                                  \
    struct __attribute__((packed)) loose##bytes {                                                            \
        volatile type value;                                                                                 \
    };                                                                                                       \
    static __attribute__((noinline)) void access##bytes(char *p, int write)                                  \
    {                                                                                                        \
        if (write && (uintptr_t)p % bytes == 0)                                                              \
            *(volatile type *)p = 1;                                                                         \
        else if (write)                                                                                      \
            ((struct loose##bytes *)p)->value = 1;                                                           \
        else if ((uintptr_t)p % bytes == 0)                                                                  \
            (void)*(volatile type *)p;                                                                       \
        else                                                                                                 \
            (void)((struct loose##bytes *)p)->value;                                                         \
    }
SIZES(ACCESS)

/* A loop over memory, up or down, with gaps or without. Its accesses are all at the same place of the
 * program. */
#define SWEEP(bytes, type)                                                                                   \
    static __attribute__((noinline)) void sweep##bytes(struct worker *w, uint32_t at, int stride,            \
                                                       uint32_t count, int write)                            \
    {                                                                                                        \
        for (; count > 0; count--, at += (uint32_t)stride) {                                                 \
            note(w, write ? WRITE : READ, at, bytes);                                                        \
            if (write)                                                                                       \
                *(volatile type *)byte_at(at) = 1;                                                           \
            else                                                                                             \
                (void)*(volatile type *)byte_at(at);                                                         \
        }                                                                                                    \
    }
SIZES(SWEEP)

struct sixteen {
    uint64_t value[2];
};
static struct sixteen scratch[ALL_THREADS]
    __attribute__((used)); /* or the copies into it would not be made */

/* Fields, which clang's pass checks at once (src/place/objects.cpp): a row of four, a row and another access, a pair. */
struct fields {
    uint32_t first, second, third, fourth;
};
struct row {
    uint64_t large;
    uint32_t small, smaller;
};

static __attribute__((noinline)) void access_fields(void *p, uint32_t how, int write)
{
    struct fields *four = p;
    struct row *row = p;
    struct sixteen *two = p;
    uint64_t sum = 0;
    if (how == 0 && write)
        four->first = four->second = four->third = four->fourth = 1;
    else if (how == 0)
        sum = (uint64_t)four->first + four->second + four->third + four->fourth;
    else if (how == 1 && write)
        row->large = row->small = row->smaller = 1;
    else if (how == 1)
        sum = row->large + row->small + row->smaller;
    else if (write)
        two->value[0] = two->value[1] = 1;
    else
        sum = two->value[0] + two->value[1];
    __asm__ volatile("" ::"r"(sum) : "memory");
}

static __attribute__((noinline)) void access_there(struct worker *w, char *p, uint32_t size, int write)
{
    switch (size) {
    case 1:
        access1(p, write);
        break;
    case 2:
        access2(p, write);
        break;
    case 4:
        access4(p, write);
        break;
    case 8:
        access8(p, write);
        break;
    default: /* a range */
        if (size == sizeof(struct fields) && (uintptr_t)p % 8 == 0 && below(w, 4) != 0)
            access_fields(p, below(w, 3), write);
        else if (write)
            memset(p, 1, size);
        else
            memcpy(&scratch[w->id], p, size);
    }
}

static void access_at(struct worker *w, uint32_t at, uint32_t size, int write)
{
    access_there(w, byte_at(at), size, write);
}

/* A loop over bytes, as programs have it. */
static __attribute__((noinline)) void access_each(struct worker *w, uint32_t at, uint32_t size, int write)
{
    for (uint32_t i = 0; i < size; i++) {
        note(w, write ? WRITE : READ, at + i, 1);
        access1(byte_at(at + i), write);
    }
}

#define DATA(bytes, bits, type)                                                                              \
    case bytes:                                                                                              \
        if (how == 0)                                                                                        \
            __tsan_atomic##bits##_load((type *)p, RELAXED);                                                  \
        else if (how == 1)                                                                                   \
            __tsan_atomic##bits##_store((type *)p, 1, RELAXED);                                              \
        else                                                                                                 \
            __tsan_atomic##bits##_fetch_add((type *)p, 1, RELAXED);                                          \
        break;

/* Of data, at an address that is aligned to the size. */
static __attribute__((noinline)) void atomic_access(struct worker *w, uint32_t at, uint32_t size, int write)
{
    uint32_t how = write ? 1 + below(w, 2) : 0;
    char *p = byte_at(at);
    note(w, write ? ATOMIC_WRITE : ATOMIC_READ, at, size);
    switch (size) {
        DATA(1, 8, uint8_t)
        DATA(2, 16, uint16_t)
        DATA(4, 32, uint32_t)
        DATA(8, 64, uint64_t)
    }
}
