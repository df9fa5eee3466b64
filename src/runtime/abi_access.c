/* The compiler's entry points for reads and writes: __tsan_readN, __tsan_writeN and their relatives.
 *
 * Hot path: everything up to the tail call to a _slow function. Load the shadow, compare with the thread's
 * epoch, return: no store, no lock, no atomic instruction, no call. tools/check_hotpath counts instructions.
 * A stale word or epoch is harmless: a word can change from "mine in this epoch" to something else only by an
 * access of another thread that races with mine, and that access finds the race.
 */
#include <emmintrin.h>

#include "runtime/fourth_path.h"
#include "runtime/peek.h"
#include "runtime/single_threaded.h"

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))
#define ACCESS(at, from, bytes, of)                                                                          \
    (struct access)                                                                                          \
    {                                                                                                        \
        .address = (at), .pc = (from), .size = (bytes), .kind = (of)                                         \
    }

#define GATHER(name, size, kind)                                                                             \
    static __attribute__((noinline)) void name##_fourth(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        if (is_special(address, size) && special_done(address, size, kind, pc))                              \
            return;                                                                                          \
        if (!waits_in_next(address, size, kind, pc))                                                         \
            some_bytes(address, size, kind, pc);                                                             \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_paged(uintptr_t address, uintptr_t pc)                      \
    {                                                                                                        \
        if (!paged_done(address, size, kind, pc))                                                            \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    hot_inline void name##_first(uintptr_t address, uintptr_t pc)                                            \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (likely(t != NULL)) {                                                                             \
            if (single_threaded_access(t))                                                                   \
                return;                                                                                      \
            struct open_run *open = place_of(t, pc);                                                         \
            if (piece_extended(t, open, address, size, kind, pc))                                            \
                return;                                                                                      \
            if (is_paged(address) && has_page(t, address)) {                                                 \
                name##_paged(address, pc);                                                                   \
                return;                                                                                      \
            }                                                                                                \
            if ((kind == PLAIN_READ && address % size == 0 && read_among_others(&t->actor, address, 1)) ||   \
                (kind == PLAIN_READ && noted(t, address, size, pc)) ||                                       \
                (likely(open->from == 0) && likely(!is_special(address, size)) &&                            \
                 gather(t, address, size, kind, pc, 0)))                                                     \
                return;                                                                                      \
        }                                                                                                    \
        name##_fourth(address, pc);                                                                          \
    }                                                                                                        \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        name##_first(address, pc);                                                                           \
    }

GATHER(read1_slow, 1, PLAIN_READ)
GATHER(read2_slow, 2, PLAIN_READ)
GATHER(write1_slow, 1, PLAIN_WRITE)
GATHER(write2_slow, 2, PLAIN_WRITE)

#define OWN(name, size, kind)                                                                                \
    static __attribute__((noinline)) void name##_fourth(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        if ((address & 3) != 0 && kind == PLAIN_READ && noted(thread_self, address, size, pc))               \
            return;                                                                                          \
        if ((address & 3) != 0 && same_epoch(address, size, kind, thread_now)) {                             \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        if (waits_in_next(address, size, kind, pc))                                                          \
            return;                                                                                          \
        if ((address & 3) != 0 && has_page(thread_self, address) && in_page(address, size, kind, pc))        \
            return;                                                                                          \
        if (likely((address & 3) == 0))                                                                      \
            own_or_slow(address, size, kind, pc, size);                                                      \
        else                                                                                                 \
            not_aligned(address, size, kind, pc);                                                            \
    }                                                                                                        \
    /* A read of words that many threads read, the first of the epoch. */                                    \
    static __attribute__((noinline)) void name##_new_reader(uintptr_t address, uintptr_t pc)                 \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        struct open_run *open = place_of(t, pc);                                                             \
        if (readers_path(t, open, address, size) == CHANGED)                                                 \
            third_remember(t, open, &ACCESS(address, pc, size, kind));                                       \
        else                                                                                                 \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_readers(uintptr_t address, uintptr_t pc)                    \
    {                                                                                                        \
        if (likely(readers_all_known(shadow_of(address), size / 4, thread_now)))                             \
            count(SAME_EPOCH);                                                                               \
        else                                                                                                 \
            name##_new_reader(address, pc);                                                                  \
    }                                                                                                        \
    /* The chunk is not the thread's own, or the words are in no simple state. */                            \
    static __attribute__((noinline)) void name##_others(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (kind == PLAIN_READ && maybe_readers(address)) {                                                  \
            name##_readers(address, pc);                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        if (kind == PLAIN_READ && read_in_set(&t->actor, address, size / 4))                                 \
            return;                                                                                          \
        struct open_run *open = place_of(t, pc);                                                             \
        enum third third = third_path(t, open, address, size, kind);                                         \
        if (unlikely(third == NOT_HERE))                                                                     \
            name##_fourth(address, pc);                                                                      \
        else if (unlikely(t->actor.met != NULL))                                                             \
            third_met(address, pc, size, kind);                                                              \
        else if (likely(third == CHANGED))                                                                   \
            third_remember(t, open, &ACCESS(address, pc, size, kind));                                       \
    }                                                                                                        \
    /* The chunk is no thread's, and no lease. */                                                            \
    static __attribute__((noinline)) void name##_nobodys(uintptr_t address, uintptr_t pc, uint32_t owner,    \
                                                         struct thread *t, struct open_run *open)            \
    {                                                                                                        \
        __builtin_prefetch((const void *)address, kind == PLAIN_WRITE);                                      \
        if (kind == PLAIN_READ && likely(owner == OWNER_FROZEN)) {                                           \
            enum third third = frozen_path(t, open, address, size);                                          \
            if (unlikely(third == NOT_HERE))                                                                 \
                name##_others(address, pc);                                                                  \
            else if (third == CHANGED)                                                                       \
                third_remember(t, open, &ACCESS(address, pc, size, kind));                                   \
            return;                                                                                          \
        }                                                                                                    \
        if (kind == PLAIN_READ && owner == OWNER_SHARED && maybe_readers(address)) {                         \
            name##_readers(address, pc);                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        if (kind == PLAIN_READ && size == 8)                                                                 \
            peek_ahead(address, load_relaxed(shadow_of(address)));                                           \
        name##_others(address, pc);                                                                          \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_paged(uintptr_t address, uintptr_t pc)                      \
    {                                                                                                        \
        if (!paged_done(address, size, kind, pc))                                                            \
            name##_others(address, pc);                                                                      \
    }                                                                                                        \
    /* The chunk is a thread's, and this is not the commonest case of it. */                                 \
    static __attribute__((noinline)) void name##_not_alone(uintptr_t address, uintptr_t pc)                  \
    {                                                                                                        \
        if (has_page(thread_self, address))                                                                  \
            name##_paged(address, pc);                                                                       \
        else                                                                                                 \
            name##_others(address, pc);                                                                      \
    }                                                                                                        \
    /* Such words are new to the place. The chunk was announced. */                                          \
    static __attribute__((noinline)) void name##_own_new(uintptr_t address, uintptr_t pc, struct thread *t,  \
                                                         struct open_run *open, uint64_t from)               \
    {                                                                                                        \
        if (unlikely(!alone_learn(&t->actor, address, size / 4, from, pc))) {                                \
            name##_not_alone(address, pc);                                                                   \
            return;                                                                                          \
        }                                                                                                    \
        alone_end(&t->actor, address, size / 4, kind, from);                                                 \
        if (kind == PLAIN_READ && size == 8)                                                                 \
            peek_ahead(address, from);                                                                       \
        third_remember(t, open, &ACCESS(address, pc, size, kind));                                           \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_own(uintptr_t address, uintptr_t pc, struct thread *t,      \
                                                     struct open_run *open)                                  \
    {                                                                                                        \
        uint64_t from;                                                                                       \
        if (unlikely(!third_possible(t, open, kind)) ||                                                      \
            unlikely(!alone_begin(&t->actor, address, size / 4, kind, &from))) {                             \
            name##_not_alone(address, pc);                                                                   \
            return;                                                                                          \
        }                                                                                                    \
        if (unlikely(from != *alone_after(&t->actor, pc))) {                                                 \
            name##_own_new(address, pc, t, open, from);                                                      \
            return;                                                                                          \
        }                                                                                                    \
        alone_end(&t->actor, address, size / 4, kind, from);                                                 \
        if (kind == PLAIN_READ && size == 8)                                                                 \
            peek_ahead(address, NO_WORD);                                                                    \
        third_remember(t, open, &ACCESS(address, pc, size, kind));                                           \
    }                                                                                                        \
    /* Not where the compiler puts such a variable. */                                                       \
    static __attribute__((noinline)) void name##_odd(uintptr_t address, uintptr_t pc)                        \
    {                                                                                                        \
        if (thread_self == NULL || (address & 3) != 0)                                                       \
            name##_fourth(address, pc);                                                                      \
        else if (!waits(address, size, kind, pc))                                                            \
            name##_not_alone(address, pc);                                                                   \
    }                                                                                                        \
    hot_inline void name##_first(uintptr_t address, uintptr_t pc)                                            \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (unlikely(t == NULL) || unlikely(!surely_one_chunk(address, size))) {                             \
            name##_odd(address, pc);                                                                         \
            return;                                                                                          \
        }                                                                                                    \
        if (single_threaded_access(t))                                                                       \
            return;                                                                                          \
        struct open_run *open = place_of(t, pc);                                                             \
        if (piece_extended(t, open, address, size, kind, pc))                                                \
            return;                                                                                          \
        uint32_t owner = load_relaxed(&owner_table[owner_chunk(address)]);                                   \
        if (unlikely(owner_is_nobodys(owner)))                                                               \
            name##_nobodys(address, pc, owner, t, open);                                                     \
        else                                                                                                 \
            name##_own(address, pc, t, open);                                                                \
    }                                                                                                        \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        name##_first(address, pc);                                                                           \
    }

OWN(read4_slow, 4, PLAIN_READ)
OWN(write4_slow, 4, PLAIN_WRITE)
OWN(read8_slow, 8, PLAIN_READ)
OWN(write8_slow, 8, PLAIN_WRITE)
OWN(read16_slow, 16, PLAIN_READ)
OWN(write16_slow, 16, PLAIN_WRITE)

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

SMALL(__tsan_read1, 1, read_in_word, read1_slow)
SMALL(__tsan_read2, 2, read_in_word, read2_slow)
SMALL(__tsan_read4, 4, read_in_word, read4_slow)
SMALL(__tsan_write1, 1, written_in_word, write1_slow)
SMALL(__tsan_write2, 2, written_in_word, write2_slow)
SMALL(__tsan_write4, 4, written_in_word, write4_slow)
SMALL(__tsan_unaligned_read2, 2, read_in_word, read2_slow)
SMALL(__tsan_unaligned_read4, 4, read_in_word, read4_slow)
SMALL(__tsan_unaligned_write2, 2, written_in_word, write2_slow)
SMALL(__tsan_unaligned_write4, 4, written_in_word, write4_slow)

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

WORDS(__tsan_read8, read_in_words, read8_slow)
WORDS(__tsan_write8, written_in_words, write8_slow)
WORDS(__tsan_unaligned_read8, read_in_words, read8_slow)
WORDS(__tsan_unaligned_write8, written_in_words, write8_slow)

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

/* 16 bytes are mostly a loop that the compiler has vectorized, over more memory than the caches hold: the
 * next step of it does not look at the shadow at all. */
#define VECTORS(name, kind, all_mine, slow)                                                                  \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (waits(address, 16, kind, CALLER_PC))                                                             \
            return;                                                                                          \
        if (likely((address & 3) == 0) &&                                                                    \
            likely(all_mine(_mm_and_si128(mine(address), mine(address + 8))))) {                             \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

VECTORS(__tsan_read16, PLAIN_READ, all_read, read16_slow)
VECTORS(__tsan_write16, PLAIN_WRITE, all_written, write16_slow)
VECTORS(__tsan_unaligned_read16, PLAIN_READ, all_read, read16_slow)
VECTORS(__tsan_unaligned_write16, PLAIN_WRITE, all_written, write16_slow)

/* --- what a test in the program's own code has left (src/place/emit.cpp) --- */

#define LEFT(name, slow)                                                                                     \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        slow##_first(address, CALLER_PC);                                                                    \
    }

LEFT(__pf_read1, read1_slow)
LEFT(__pf_read2, read2_slow)
LEFT(__pf_read4, read4_slow)
LEFT(__pf_read8, read8_slow)
LEFT(__pf_read16, read16_slow)
LEFT(__pf_write1, write1_slow)
LEFT(__pf_write2, write2_slow)
LEFT(__pf_write4, write4_slow)
LEFT(__pf_write8, write8_slow)
LEFT(__pf_write16, write16_slow)

/* --- any size ---
 *
 * gcc: accesses that need not be aligned, and structs. */

void access_few(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    enum { MOST = 128 };
    if (unlikely(size > MOST))
        access_slow(address, size, kind, pc);
    else if (size > 0 && !(kind == PLAIN_READ && noted(thread_self, address, (unsigned)size, pc)) &&
             !same_epoch(address, size, kind, thread_now))
        some_bytes(address, (unsigned)size, kind, pc);
    else
        count(SAME_EPOCH);
}

void access_words(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    if (same_epoch(address, size, kind, thread_now))
        count(SAME_EPOCH);
    else if (size == 4)
        (kind == PLAIN_READ ? read4_slow : write4_slow)(address, pc);
    else
        (kind == PLAIN_READ ? read8_slow : write8_slow)(address, pc);
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

RANGE(__tsan_read_range, PLAIN_READ, read_in_word, read_in_words, read2_slow, read4_slow, read8_slow,
      read16_slow)
RANGE(__tsan_write_range, PLAIN_WRITE, written_in_word, written_in_words, write2_slow, write4_slow,
      write8_slow, write16_slow)

/* --- C++: the pointer to virtual functions --- */

ENTRY void __tsan_vptr_read(uintptr_t address);
ENTRY void __tsan_vptr_read(uintptr_t address)
{
    count(ACCESSES);
    if (unlikely((address & 3) != 0) || unlikely(!read_in_words(address)))
        read8_slow(address, CALLER_PC);
    else
        count(SAME_EPOCH);
}

ENTRY void __tsan_vptr_update(uintptr_t address, const void *value);
ENTRY void __tsan_vptr_update(uintptr_t address, const void *value)
{
    count(ACCESSES);
    if (access_of_vptr(address, value) == PLAIN_READ) {
        if (unlikely((address & 3) != 0) || unlikely(!read_in_words(address)))
            read8_slow(address, CALLER_PC);
    } else if (unlikely((address & 3) != 0) || unlikely(!written_in_words(address))) {
        write8_slow(address, CALLER_PC);
    }
}
