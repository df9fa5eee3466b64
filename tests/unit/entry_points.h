/* The steps of a schedule (tests/support/schedule.h) as calls of the compiler's entry points: every access by
 * one of the many ways there are for its size and kind.
 */
#pragma once

#include "runtime/access.h"
#include "runtime/loops.h"
#include "support/schedule.h"

static char scratch[MOST_THREADS][MOST_BYTES]; /* each thread's own: what ranges are copied from and to */

/* --- plain accesses --- */

#define PLAIN(X)     X(1) X(2) X(4) X(8) X(16)
#define UNALIGNED(X) X(2) X(4) X(8) X(16)
#define DECLARE_PLAIN(size)                                                                                  \
    void __tsan_read##size(uintptr_t);                                                                       \
    void __tsan_write##size(uintptr_t);                                                                      \
    void __tsan_read_write##size(uintptr_t);                                                                 \
    void __tsan_volatile_read##size(uintptr_t);                                                              \
    void __tsan_volatile_write##size(uintptr_t);                                                             \
    void __tsan_read##size##_pc(uintptr_t, uintptr_t);                                                       \
    void __tsan_write##size##_pc(uintptr_t, uintptr_t);                                                      \
    void __pf_read##size(uintptr_t);                                                                         \
    void __pf_write##size(uintptr_t);
#define DECLARE_UNALIGNED(size)                                                                              \
    void __tsan_unaligned_read##size(uintptr_t);                                                             \
    void __tsan_unaligned_write##size(uintptr_t);                                                            \
    void __tsan_unaligned_read_write##size(uintptr_t);
PLAIN(DECLARE_PLAIN)
UNALIGNED(DECLARE_UNALIGNED)
void __tsan_read_range(uintptr_t, size_t);
void __tsan_write_range(uintptr_t, size_t);
void __tsan_read_range_pc(uintptr_t, size_t, uintptr_t);
void __tsan_write_range_pc(uintptr_t, size_t, uintptr_t);
void __tsan_vptr_read(void **);
void __tsan_vptr_update(void **, void *);
void *__tsan_memset(void *, int, size_t);
void *__tsan_memcpy(void *, const void *, size_t);
void *__tsan_memmove(void *, const void *, size_t);

#define READ_OR_WRITE(read, write, ...) (s->kind == PLAIN_WRITE ? write(__VA_ARGS__) : read(__VA_ARGS__))

/* The test that the compiler puts into the program (src/place/emit.cpp): is nothing left to be checked? The
 * generic host has no shadow to be looked at. */
static bool test_in_place(uintptr_t address, size_t size, bool write)
{
#ifdef PF_GENERIC
    (void)address, (void)size, (void)write;
    return false;
#else
    uint32_t now = thread_now != 0 ? thread_now : UINT32_MAX;
    bool written = true, read = true;
    for (uintptr_t at = address & ~(uintptr_t)3; at < address + size; at += 4) {
        written &= (uint32_t)load_relaxed(shadow_of(at)) == now;
        read &= load_relaxed(shadow_of(at)) >> 32 == now;
    }
    return written || (read && !write);
#endif
}

/* ... of what is aligned as the test expects it. */
static bool may_test(uintptr_t address, size_t size)
{
    return address % (size < 4 ? size : 4) == 0;
}

#define TESTED(size)                                                                                         \
    static void tested_read##size(uintptr_t address)                                                         \
    {                                                                                                        \
        if (!may_test(address, size) || !test_in_place(address, size, false))                                \
            __pf_read##size(address);                                                                        \
    }                                                                                                        \
    static void tested_write##size(uintptr_t address)                                                        \
    {                                                                                                        \
        if (!may_test(address, size) || !test_in_place(address, size, true))                                 \
            __pf_write##size(address);                                                                       \
    }
PLAIN(TESTED)

/* Of any size. */
static void plain_range(const struct step *s, uintptr_t address)
{
    uintptr_t pc = (uintptr_t)&plain_range;
    switch (s->way % 5) {
    case 0:
        READ_OR_WRITE(__tsan_read_range, __tsan_write_range, address, s->size);
        break;
    case 1:
        READ_OR_WRITE(__tsan_read_range_pc, __tsan_write_range_pc, address, s->size, pc);
        break;
    case 2:
        if (s->kind == PLAIN_WRITE)
            access_free(address, s->size, pc);
        else
            __tsan_memcpy(scratch[s->thread], (void *)address, s->size);
        break;
    case 3:
        if (s->kind == PLAIN_WRITE)
            __tsan_memcpy((void *)address, scratch[s->thread], s->size);
        else
            __tsan_memmove(scratch[s->thread], (void *)address, s->size);
        break;
    default:
        if (s->kind == PLAIN_WRITE)
            __tsan_memset((void *)address, 1, s->size);
        else
            __tsan_read_range(address, s->size);
    }
}

/* --- two accesses by one call (runtime/fields.c) --- */

bool __pf_read_read8(uintptr_t, uintptr_t, const uintptr_t *);
bool __pf_read_write8(uintptr_t, uintptr_t, const uintptr_t *);
bool __pf_write_read8(uintptr_t, uintptr_t, const uintptr_t *);
bool __pf_write_write8(uintptr_t, uintptr_t, const uintptr_t *);

static void pair(uintptr_t a, bool a_writes, uintptr_t b, bool b_writes)
{
    static const uintptr_t place[4][2]
        __attribute__((aligned(16))) = {{11, 22}, {33, 44}, {55, 66}, {77, 88}};
    if (a % 8 == 0 && b % 8 == 0 && test_in_place(a, 8, a_writes) && test_in_place(b, 8, b_writes))
        return;
    bool done = a_writes   ? b_writes ? __pf_write_write8(a, b, place[0]) : __pf_write_read8(a, b, place[1])
                  : b_writes ? __pf_read_write8(a, b, place[2])
                           : __pf_read_read8(a, b, place[3]);
    assert_false(done);
}

/* With a read of what nobody ever writes, on the same page. */
static void plain_in_pair(const struct step *s, uintptr_t address)
{
    uintptr_t partner = address / 4096 * 4096 + 4 * MOST_BYTES + 8 * s->thread;
    bool write = s->kind == PLAIN_WRITE;
    if (s->way % 2 == 0)
        pair(address, write, partner, false);
    else
        pair(partner, false, address, write);
}

/* A virtual table's address; one that is there already is not written again. */
static void plain_vptr(const struct step *s, void **vptr)
{
    if (s->kind == PLAIN_WRITE)
        __tsan_vptr_update(vptr, *vptr == (void *)scratch ? NULL : (void *)scratch);
    else if (s->way & 32)
        __tsan_vptr_update(vptr, *vptr);
    else
        __tsan_vptr_read(vptr);
}

static void entry_plain(const struct step *s, uintptr_t address)
{
    uintptr_t pc = (uintptr_t)&entry_plain;
    switch (s->size << 4 | s->way >> 4) {
#define CASE(size, way, read, write, ...)                                                                    \
    case size << 4 | way:                                                                                    \
        READ_OR_WRITE(read, write, __VA_ARGS__);                                                             \
        return;
#define CASES_PLAIN(size)                                                                                    \
    CASE(size, 0, __tsan_read##size, __tsan_write##size, address)                                            \
    CASE(size, 1, __tsan_read##size, __tsan_write##size, address)                                            \
    CASE(size, 2, __tsan_read##size, __tsan_write##size, address)                                            \
    CASE(size, 3, __tsan_read##size, __tsan_write##size, address)                                            \
    CASE(size, 4, __pf_read##size, __pf_write##size, address)                                                \
    CASE(size, 5, tested_read##size, tested_write##size, address)                                            \
    CASE(size, 6, __tsan_volatile_read##size, __tsan_volatile_write##size, address)                          \
    CASE(size, 7, __tsan_read##size, __tsan_read_write##size, address)                                       \
    CASE(size, 8, __tsan_read##size##_pc, __tsan_write##size##_pc, address, pc)
#define CASES_UNALIGNED(size)                                                                                \
    CASE(size, 9, __tsan_unaligned_read##size, __tsan_unaligned_write##size, address)                        \
    CASE(size, 10, __tsan_unaligned_read##size, __tsan_unaligned_write##size, address)                       \
    CASE(size, 11, __tsan_unaligned_read##size, __tsan_unaligned_read_write##size, address)
        PLAIN(CASES_PLAIN)
        UNALIGNED(CASES_UNALIGNED)
    }
    if (s->size == 8 && s->way >> 4 >= 12 && s->way >> 4 < 14)
        plain_in_pair(s, address);
    else if (s->size == sizeof(void *) && address % sizeof(void *) == 0 && s->way >> 4 == 15)
        plain_vptr(s, (void **)address);
    else
        plain_range(s, address);
}

/* --- loops --- */

void __pf_reads(uintptr_t, size_t, ptrdiff_t, size_t);
void __pf_writes(uintptr_t, size_t, ptrdiff_t, size_t);
bool __pf_read_groups(uintptr_t, ptrdiff_t, size_t, const struct fields *);
bool __pf_write_groups(uintptr_t, ptrdiff_t, size_t, const struct fields *);

static const struct fields *fields_of(const struct step *s)
{
    static union {
        struct fields fields;
        char room[sizeof(struct fields) + MOST_FIELDS * sizeof(((struct fields *)0)->field[0])];
    } table[STEP_SHAPES];
    struct fields *f = &table[s->shape].fields;
    f->count = step_shapes[s->shape].fields;
    f->size = s->size;
    for (uint32_t i = 0, offset = 0; i < f->count; offset += f->field[i++].size) {
        f->field[i].offset = offset;
        f->field[i].size = step_shapes[s->shape].size[i];
        f->field[i].pc = (uintptr_t)&fields_of + 2 * i;
    }
    return f;
}

/* --- neighbouring fields by one call (runtime/fields.c) --- */

bool __pf_read_row8(uintptr_t, const struct fields *);
bool __pf_read_row16(uintptr_t, const struct fields *);
bool __pf_write_row8(uintptr_t, const struct fields *);
bool __pf_write_row16(uintptr_t, const struct fields *);

static bool is_row(const struct fields *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->field[i].size % 4 != 0)
            return false;
    return f->size == 8 || f->size == 16;
}

bool __pf_read_bytes(uintptr_t, const struct fields *);
bool __pf_write_bytes(uintptr_t, const struct fields *);

static bool is_bytes(const struct fields *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->field[i].size >= 4)
            return false;
    return f->size <= 8;
}

static bool all_tested(uintptr_t address, const struct fields *f, bool write)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!test_in_place(address + f->field[i].offset, f->field[i].size, write))
            return false;
    return true;
}

static void row(const struct step *s, uintptr_t address, const struct fields *f)
{
    bool write = s->kind == PLAIN_WRITE, done;
    if (is_bytes(f)) {
        assert_false(write ? __pf_write_bytes(address, f) : __pf_read_bytes(address, f));
        return;
    }
    if (address % 4 == 0 && all_tested(address, f, write))
        return;
    if (f->size == 8)
        done = write ? __pf_write_row8(address, f) : __pf_read_row8(address, f);
    else
        done = write ? __pf_write_row16(address, f) : __pf_read_row16(address, f);
    assert_false(done);
}

/* One of two places in the program. */
static void entry_loop(const struct step *s, uintptr_t address)
{
    bool write = s->kind == PLAIN_WRITE;
    if (s->shape != 0 && s->count == 1 && address % 4 == 0 && test_in_place(address, s->size, write))
        return;
    if (s->shape == 0 && s->count == 2 && s->size == 8 && s->way % 4 == 3) {
        pair(address, write, address + (uintptr_t)(intptr_t)s->stride, write);
        return;
    }
    if (s->shape != 0 && (is_row(fields_of(s)) || is_bytes(fields_of(s))) && s->way % 4 != 0) {
        for (unsigned i = 0; i < s->count; i++)
            row(s, address + i * (uintptr_t)(intptr_t)s->stride, fields_of(s));
        return;
    }
    if (s->shape != 0)
        READ_OR_WRITE(__pf_read_groups, __pf_write_groups, address, s->stride, s->count, fields_of(s));
    else if (s->way % 2 == 0)
        READ_OR_WRITE(__pf_reads, __pf_writes, address, s->size, s->stride, s->count);
    else
        READ_OR_WRITE(__pf_reads, __pf_writes, address, s->size, s->stride, s->count);
}

/* --- atomic operations --- */

void __tsan_atomic_thread_fence(int order);

/* Reads are loads or exchanges that fail; modifications are of all kinds, among them exchanges that succeed.
 * Orders may carry a bit that says that the operation is one of gcc's old built-ins. */
#define FETCH(X, ...)                                                                                        \
    X(2, exchange, __VA_ARGS__)                                                                              \
    X(3, fetch_add, __VA_ARGS__)                                                                             \
    X(4, fetch_sub, __VA_ARGS__)                                                                             \
    X(5, fetch_and, __VA_ARGS__)                                                                             \
    X(6, fetch_or, __VA_ARGS__)                                                                              \
    X(7, fetch_xor, __VA_ARGS__)                                                                             \
    X(8, fetch_nand, __VA_ARGS__)
#define DECLARE_FETCH(way, name, bits, type) type __tsan_atomic##bits##_##name(volatile type *, type, int);
#define CASE_FETCH(way, name, bits, type)                                                                    \
    case way:                                                                                                \
        __tsan_atomic##bits##_##name(a, other, order);                                                       \
        break;
#define ATOMIC(bits, type)                                                                                   \
    type __tsan_atomic##bits##_load(const volatile type *, int);                                             \
    void __tsan_atomic##bits##_store(volatile type *, type, int);                                            \
    FETCH(DECLARE_FETCH, bits, type)                                                                         \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *, type *, type, int, int);              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *, type *, type, int, int);                \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *, type, type, int, int);                  \
    static void modify_##bits(const struct step *s, volatile type *a, int order)                             \
    {                                                                                                        \
        type now = *a, other = (type)~now;                                                                   \
        switch (s->way % 10) {                                                                               \
            FETCH(CASE_FETCH, bits, type)                                                                    \
        case 0:                                                                                              \
            if (!__tsan_atomic##bits##_compare_exchange_weak(a, &now, other, order, SEQ_CST))                \
                abort();                                                                                     \
            break;                                                                                           \
        default:                                                                                             \
            __tsan_atomic##bits##_compare_exchange_val(a, now, other, order, RELAXED);                       \
        }                                                                                                    \
    }                                                                                                        \
    static void atomic_##bits(const struct step *s, volatile type *a)                                        \
    {                                                                                                        \
        type now = *a, other = (type)~now;                                                                   \
        int order = s->order | (s->way & 16 ? 0x8000 : 0);                                                   \
        if (s->kind == ATOMIC_READ && s->way % 3 != 0)                                                       \
            __tsan_atomic##bits##_load(a, order);                                                            \
        else if (s->kind == ATOMIC_READ)                                                                     \
            __tsan_atomic##bits##_compare_exchange_strong(a, &other, now, s->way & 32 ? SEQ_CST : RELAXED,   \
                                                          order);                                            \
        else if (s->modify)                                                                                  \
            modify_##bits(s, a, order);                                                                      \
        else                                                                                                 \
            __tsan_atomic##bits##_store(a, other, order);                                                    \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, unsigned __int128)

static void entry_atomic(const struct step *s, void *address)
{
    switch (s->size) {
    case 1:
        atomic_8(s, address);
        break;
    case 2:
        atomic_16(s, address);
        break;
    case 4:
        atomic_32(s, address);
        break;
    case 8:
        atomic_64(s, address);
        break;
    default:
        atomic_128(s, address);
    }
}
