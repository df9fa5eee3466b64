/* What the random programs of tests/place/generate share: turns, what the generator's text is made of, and
 * the bytes that race, told as they are found.
 *
 * Every thread has its steps of one fixed order; what hands over from step to step cannot be seen by the
 * detector (tests/programs/unseen.h), so every build of a program synchronizes in the same order, whatever it
 * checks and where: the bytes that race are a property of the program.
 *
 * A byte that races is one line on standard output, once: REGION+OFFSET. Written at once by a system call: a
 * program may end in any way.
 */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unseen.h"

#define NOINLINE      static __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* --- what the detector is told directly, the same in every build --- */

void __tsan_read_range(void *address, unsigned long size),
    __tsan_write_range(void *address, unsigned long size);
void AnnotateIgnoreReadsBegin(const char *file, int line), AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line),
    AnnotateIgnoreWritesEnd(const char *file, int line);

/* A planted fault: an access that is not checked. */
#define UNCHECKED(statement)                                                                                 \
    do {                                                                                                     \
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);                                                        \
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);                                                       \
        statement AnnotateIgnoreReadsEnd(__FILE__, __LINE__);                                                \
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);                                                         \
    } while (0)

/* --- values: what is read goes into sums, and never decides anything --- */

ALWAYS_INLINE unsigned long bits_of_double(double value)
{
    return (union {
               double value;
               unsigned long bits;
           }){value}
        .bits;
}

ALWAYS_INLINE unsigned long bits_of_float(float value)
{
    return (union {
               float value;
               unsigned bits;
           }){value}
        .bits;
}

ALWAYS_INLINE unsigned long bits_of_integer(unsigned long value)
{
    return value;
}

#define BITS(value)                                                                                          \
    _Generic((value), double : bits_of_double, float : bits_of_float, default : bits_of_integer)(value)
#define TAKE(value) (sum += BITS(value))

/* The compiler does not know what it is. */
UNSEEN long opaque(long value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* --- regions --- */

enum { MOST_REGIONS = 48, MOST_BYTES = 1 << 18 };

static struct region {
    const char *name;
    const char *first;
    unsigned long size;
    unsigned long told; /* its first place in `told` */
} regions[MOST_REGIONS];
static int region_count;
static char told[MOST_BYTES];
static unsigned long told_used;

UNSEEN void region(const char *name, const void *first, unsigned long size)
{
    if (region_count == MOST_REGIONS || told_used + size > MOST_BYTES)
        abort();
    regions[region_count++] = (struct region){name, first, size, told_used};
    told_used += size;
}

UNSEEN void say_place(const char *name, unsigned long offset)
{
    char line[80];
    unsigned long length = 0, power = 1;
    while (*name != '\0' && length < 50)
        line[length++] = *name++;
    line[length++] = '+';
    while (offset / power >= 10)
        power *= 10;
    for (; power > 0; power /= 10)
        line[length++] = (char)('0' + offset / power % 10);
    line[length++] = '\n';
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1L /* write */), "D"(1L), "S"(line), "d"(length)
                     : "rcx", "r11", "memory");
}

UNSEEN void say_byte(const char *byte)
{
    for (int i = 0; i < region_count; i++) {
        unsigned long offset = (unsigned long)(byte - regions[i].first);
        char *mark = &told[regions[i].told + offset];
        if (offset >= regions[i].size)
            continue;
        if (__atomic_exchange_n(mark, 1, __ATOMIC_RELAXED) == 0)
            say_place(regions[i].name, offset);
        return;
    }
    say_place("elsewhere", 0);
}

/* The detector calls this (src/shadow/access.h), from any thread. */
void pf_on_racy_bytes(const void *first, unsigned long size);
__attribute__((no_sanitize("thread"))) void pf_on_racy_bytes(const void *first, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++)
        say_byte((const char *)first + i);
}

/* PHOTOFINISH_OPTIONS=report_bugs=1 has them reported, too. */
const char *__tsan_default_options(void);
__attribute__((no_sanitize("thread"))) const char *__tsan_default_options(void)
{
    return "report_bugs=0:exitcode=0";
}

/* --- several programs in one file: the first argument says which --- */

struct program {
    long seed;
    void (*run)(void);
};

UNSEEN int run_program(const struct program *programs, int count, const char *seed)
{
    long wanted = seed != NULL ? atol(seed) : programs[0].seed;
    for (int i = 0; i < count; i++) {
        if (programs[i].seed != wanted)
            continue;
        programs[i].run();
        return 0;
    }
    return 2;
}

/* --- the end, from anywhere --- */

__attribute__((noinline, unused)) static _Noreturn void leave_program(int how)
{
    if (how == 0)
        exit(0);
    if (how == 1)
        _exit(0);
    abort();
}
