/* The rest of the compiler's entry points: accesses that are told apart from the plain ones only on request,
 * accesses with their place as an argument, memcpy and its relatives, regions without checks.
 *
 * Accesses that mean the same as a plain one are tail calls of it (runtime/abi_access.c): the return address,
 * by which that knows its caller, is still the program's.
 */
#include <string.h>

#include "runtime/intercept/real.h"

#define ENTRY __attribute__((visibility("default")))

/* --- volatile and compound accesses --- */

/* `volatile` orders nothing and protects from nothing: a plain access. A compound one (x++) reads and writes:
 * whatever races with its read races with its write. */
#define SAME_AS(name, plain)                                                                                 \
    ENTRY void plain(uintptr_t address);                                                                     \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        plain(address);                                                                                      \
    }

#define SIZE(size)                                                                                           \
    SAME_AS(__tsan_volatile_read##size, __tsan_read##size)                                                   \
    SAME_AS(__tsan_volatile_write##size, __tsan_write##size)                                                 \
    SAME_AS(__tsan_read_write##size, __tsan_write##size)

#define UNALIGNED_SIZE(size)                                                                                 \
    SAME_AS(__tsan_unaligned_volatile_read##size, __tsan_unaligned_read##size)                               \
    SAME_AS(__tsan_unaligned_volatile_write##size, __tsan_unaligned_write##size)                             \
    SAME_AS(__tsan_unaligned_read_write##size, __tsan_unaligned_write##size)

SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
UNALIGNED_SIZE(2)
UNALIGNED_SIZE(4)
UNALIGNED_SIZE(8)
UNALIGNED_SIZE(16)

/* --- with the place as an argument --- */

#define WITH_PC(size)                                                                                        \
    ENTRY void __tsan_read##size##_pc(uintptr_t address, uintptr_t pc);                                      \
    ENTRY void __tsan_read##size##_pc(uintptr_t address, uintptr_t pc)                                       \
    {                                                                                                        \
        access_slow(address, size, PLAIN_READ, pc);                                                          \
    }                                                                                                        \
    ENTRY void __tsan_write##size##_pc(uintptr_t address, uintptr_t pc);                                     \
    ENTRY void __tsan_write##size##_pc(uintptr_t address, uintptr_t pc)                                      \
    {                                                                                                        \
        access_slow(address, size, PLAIN_WRITE, pc);                                                         \
    }

WITH_PC(1)
WITH_PC(2)
WITH_PC(4)
WITH_PC(8)
WITH_PC(16)

ENTRY void __tsan_read_range_pc(uintptr_t address, size_t size, uintptr_t pc);
ENTRY void __tsan_read_range_pc(uintptr_t address, size_t size, uintptr_t pc)
{
    if (size > 0)
        access_slow(address, size, PLAIN_READ, pc);
}

ENTRY void __tsan_write_range_pc(uintptr_t address, size_t size, uintptr_t pc);
ENTRY void __tsan_write_range_pc(uintptr_t address, size_t size, uintptr_t pc)
{
    if (size > 0)
        access_slow(address, size, PLAIN_WRITE, pc);
}

/* --- memcpy and its relatives --- */

ENTRY void *__tsan_memcpy(void *to, const void *from, size_t size);
ENTRY void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    if (unlikely(size == 0))
        return to;
    access_slow((uintptr_t)from, size, PLAIN_READ, CALLER_PC);
    access_slow((uintptr_t)to, size, PLAIN_WRITE, CALLER_PC);
    return REAL(memcpy)(to, from, size);
}

ENTRY void *__tsan_memmove(void *to, const void *from, size_t size);
ENTRY void *__tsan_memmove(void *to, const void *from, size_t size)
{
    if (unlikely(size == 0))
        return to;
    access_slow((uintptr_t)from, size, PLAIN_READ, CALLER_PC);
    access_slow((uintptr_t)to, size, PLAIN_WRITE, CALLER_PC);
    return REAL(memmove)(to, from, size);
}

ENTRY void *__tsan_memset(void *to, int byte, size_t size);
ENTRY void *__tsan_memset(void *to, int byte, size_t size)
{
    if (unlikely(size == 0))
        return to;
    access_slow((uintptr_t)to, size, PLAIN_WRITE, CALLER_PC);
    return REAL(memset)(to, byte, size);
}

/* --- regions without checks --- */

ENTRY void __tsan_ignore_thread_begin(void);
ENTRY void __tsan_ignore_thread_begin(void)
{
    struct thread *t = thread_current();
    t->ignored++;
    thread_ignore_begin(t);
}

ENTRY void __tsan_ignore_thread_end(void);
ENTRY void __tsan_ignore_thread_end(void)
{
    thread_ignore_end(thread_current());
}

/* --- requests that need nothing: there are no caches to give back, and nothing is forgotten --- */

ENTRY void __tsan_on_thread_idle(void);
ENTRY void __tsan_on_thread_idle(void)
{
}

ENTRY void __tsan_flush_memory(void);
ENTRY void __tsan_flush_memory(void)
{
}
