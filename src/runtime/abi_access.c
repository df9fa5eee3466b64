/* The compiler's entry points for reads and writes: __tsan_readN, __tsan_writeN and their relatives.
 *
 * Hot path: load the shadow, compare with the thread's epoch, return: no store, no lock, no atomic instruction,
 * no call. tools/check_hotpath counts instructions. A stale word or epoch is harmless: a word can change from
 * "mine in this epoch" to something else only by an access of another thread that races with mine, and that
 * access finds the race.
 */
#include <emmintrin.h>

#include "runtime/first_access.h"

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

/* After the same-epoch test. */
#define FIRST(name, size, kind)                                                                              \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        first_access(address, pc, size, kind);                                                               \
    }

FIRST(read4_first, 4, PLAIN_READ)
FIRST(write4_first, 4, PLAIN_WRITE)
FIRST(read8_first, 8, PLAIN_READ)
FIRST(write8_first, 8, PLAIN_WRITE)

#define WORD_BY_WORD(name, kind)                                                                             \
    hot_inline void name(uintptr_t address, uintptr_t pc)                                                    \
    {                                                                                                        \
        range_any(address, pc, 16, kind);                                                                    \
    }

WORD_BY_WORD(read16_first, PLAIN_READ)
WORD_BY_WORD(write16_first, PLAIN_WRITE)

#define BYTES(name, size, kind)                                                                              \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        first_bytes(address, pc, size, kind);                                                                \
    }

BYTES(read1_first, 1, PLAIN_READ)
BYTES(read2_first, 2, PLAIN_READ)
BYTES(write1_first, 1, PLAIN_WRITE)
BYTES(write2_first, 2, PLAIN_WRITE)

/* --- up to 4 bytes inside one word --- */

/* A comparison with memory, which the processor makes one step with the jump that follows. Relaxed: a stale
 * value will do. */
hot_inline bool half_is(const uint32_t *half, uint32_t now)
{
    bool same;
    __asm__("cmpl %2, %1" : "=@cce"(same) : "m"(*half), "r"(now));
    return same;
}

hot_inline bool read_in_word(uintptr_t address)
{
    const uint32_t *half = (const uint32_t *)shadow_of(address);
    uint32_t now = thread_now;
    return likely(half_is(&half[1], now)) || half_is(&half[0], now);
}

hot_inline bool written_in_word(uintptr_t address)
{
    return likely(half_is((const uint32_t *)shadow_of(address), thread_now));
}

#define SMALL(name, size, same_epoch, slow)                                                                  \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (likely((address & (size - 1)) == 0) && likely(same_epoch(address))) {                            \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

SMALL(__tsan_read1, 1, read_in_word, read1_first)
SMALL(__tsan_read2, 2, read_in_word, read2_first)
SMALL(__tsan_read4, 4, read_in_word, read4_first)
SMALL(__tsan_write1, 1, written_in_word, write1_first)
SMALL(__tsan_write2, 2, written_in_word, write2_first)
SMALL(__tsan_write4, 4, written_in_word, write4_first)
SMALL(__tsan_unaligned_read2, 2, read_in_word, read2_first)
SMALL(__tsan_unaligned_read4, 4, read_in_word, read4_first)
SMALL(__tsan_unaligned_write2, 2, written_in_word, write2_first)
SMALL(__tsan_unaligned_write4, 4, written_in_word, write4_first)

/* --- 8 bytes: two words --- */

hot_inline bool read_in_words(uintptr_t address)
{
    const uint32_t *half = (const uint32_t *)shadow_of(address);
    uint32_t now = thread_now;
    return likely(half_is(&half[1], now) && half_is(&half[3], now)) ||
           (half_is(&half[0], now) && half_is(&half[2], now));
}

hot_inline bool written_in_words(uintptr_t address)
{
    const uint32_t *half = (const uint32_t *)shadow_of(address);
    uint32_t now = thread_now;
    return likely(half_is(&half[0], now) && half_is(&half[2], now));
}

#define WORDS(name, same_epoch, slow)                                                                        \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (likely((address & 3) == 0) && likely(same_epoch(address))) {                                     \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

WORDS(__tsan_read8, read_in_words, read8_first)
WORDS(__tsan_write8, written_in_words, write8_first)
WORDS(__tsan_unaligned_read8, read_in_words, read8_first)
WORDS(__tsan_unaligned_write8, written_in_words, write8_first)

/* --- 16 bytes: four words, compared with SIMD --- */

/* All ones in each half of two words that is equal to the thread's epoch. */
hot_inline __m128i mine(uintptr_t address)
{
    __m128i words = _mm_loadu_si128((const __m128i *)shadow_of(address));
    return _mm_cmpeq_epi32(words, _mm_set1_epi32((int)thread_now));
}

enum { ALL_READS = 0xf0f0, ALL_WRITES = 0x0f0f };

hot_inline bool all_read(__m128i halves)
{
    unsigned m = (unsigned)_mm_movemask_epi8(halves);
    return likely((m & ALL_READS) == ALL_READS) || (m & ALL_WRITES) == ALL_WRITES;
}

hot_inline bool all_written(__m128i halves)
{
    return likely(((unsigned)_mm_movemask_epi8(halves) & ALL_WRITES) == ALL_WRITES);
}

#define VECTORS(name, all_mine, slow)                                                                        \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (likely((address & 3) == 0) &&                                                                    \
            likely(all_mine(_mm_and_si128(mine(address), mine(address + 8))))) {                             \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

VECTORS(__tsan_read16, all_read, read16_first)
VECTORS(__tsan_write16, all_written, write16_first)
VECTORS(__tsan_unaligned_read16, all_read, read16_first)
VECTORS(__tsan_unaligned_write16, all_written, write16_first)

/* --- what a test in the program's own code has left (src/place/emit.cpp) --- */

#define LEFT(name, first)                                                                                    \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        first(address, CALLER_PC);                                                                           \
    }

LEFT(__pf_read1, read1_first)
LEFT(__pf_read2, read2_first)
LEFT(__pf_read4, read4_first)
LEFT(__pf_read8, read8_first)
LEFT(__pf_read16, read16_first)
LEFT(__pf_write1, write1_first)
LEFT(__pf_write2, write2_first)
LEFT(__pf_write4, write4_first)
LEFT(__pf_write8, write8_first)
LEFT(__pf_write16, write16_first)

/* --- any size ---
 *
 * gcc: accesses that need not be aligned, and structs. */

void access_few(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    enum { MOST = 128 };
    if (unlikely(size > MOST))
        access_slow(address, size, kind, pc);
    else
        range_any(address, pc, (uint32_t)size, kind);
}

void access_words(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    if (likely(address % 4 == 0) && state_same_epoch(load_relaxed(shadow_of(address)), kind, thread_now) &&
        state_same_epoch(load_relaxed(shadow_of(address + size - 4)), kind, thread_now))
        count(SAME_EPOCH);
    else if (size == 4)
        (kind == PLAIN_READ ? read4_first : write4_first)(address, pc);
    else
        (kind == PLAIN_READ ? read8_first : write8_first)(address, pc);
}

static __attribute__((noinline)) void row_read(uintptr_t address, const struct fields *fields)
{
    row_access(address, fields, PLAIN_READ);
}

static __attribute__((noinline)) void row_write(uintptr_t address, const struct fields *fields)
{
    row_access(address, fields, PLAIN_WRITE);
}

void access_row(uintptr_t address, const struct fields *fields, enum access_kind kind)
{
    uintptr_t last = address + fields->size - 1, middle = address + fields->size / 2; /* up to three words */
    if (fields->size <= 8 && state_same_epoch(load_relaxed(shadow_of(address)), kind, thread_now) &&
        state_same_epoch(load_relaxed(shadow_of(middle)), kind, thread_now) &&
        state_same_epoch(load_relaxed(shadow_of(last)), kind, thread_now))
        count(SAME_EPOCH);
    else
        (kind == PLAIN_READ ? row_read : row_write)(address, fields);
}

#define RANGE(name, kind, in_word, in_words, slow2, slow4, slow8, slow16)                                    \
    ENTRY void name(uintptr_t address, size_t size);                                                         \
    ENTRY void name(uintptr_t address, size_t size)                                                          \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (size == 8 && (likely((address & 3) != 0) || !in_words(address)))                                 \
            slow8(address, CALLER_PC);                                                                       \
        else if (size == 4 && (likely((address & 3) != 0) || !in_word(address)))                             \
            slow4(address, CALLER_PC);                                                                       \
        else if (size == 2 && (likely((address & 1) != 0) || !in_word(address)))                             \
            slow2(address, CALLER_PC);                                                                       \
        else if (size == 16)                                                                                 \
            slow16(address, CALLER_PC);                                                                      \
        else if (size != 8 && size != 4 && size != 2)                                                        \
            access_few(address, size, kind, CALLER_PC);                                                      \
        else                                                                                                 \
            count(SAME_EPOCH);                                                                               \
    }

RANGE(__tsan_read_range, PLAIN_READ, read_in_word, read_in_words, read2_first, read4_first, read8_first,
      read16_first)
RANGE(__tsan_write_range, PLAIN_WRITE, written_in_word, written_in_words, write2_first, write4_first,
      write8_first, write16_first)

/* --- C++: the pointer to virtual functions --- */

ENTRY void __tsan_vptr_read(uintptr_t address);
ENTRY void __tsan_vptr_read(uintptr_t address)
{
    count(ACCESSES);
    if (unlikely((address & 3) != 0) || unlikely(!read_in_words(address)))
        read8_first(address, CALLER_PC);
    else
        count(SAME_EPOCH);
}

ENTRY void __tsan_vptr_update(uintptr_t address, const void *value);
ENTRY void __tsan_vptr_update(uintptr_t address, const void *value)
{
    count(ACCESSES);
    if (access_of_vptr(address, value) == PLAIN_READ) {
        if (unlikely((address & 3) != 0) || unlikely(!read_in_words(address)))
            read8_first(address, CALLER_PC);
    } else if (unlikely((address & 3) != 0) || unlikely(!written_in_words(address))) {
        write8_first(address, CALLER_PC);
    }
}
