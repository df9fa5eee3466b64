/* What the random programs of tests/place/generate are made of.
 *
 * Every thread has its steps of one fixed order; what hands over from step to step cannot be seen by the
 * detector (tests/programs/unseen.h), so every build of a program synchronizes in the same order, whatever it
 * checks and where: the bytes that race are a property of the program.
 *
 *   PROGRAM SEED             the program of this seed; its racy bytes (regions.h)
 *   PROGRAM SEED watch       ... and what each step does (watch.h)
 *   PROGRAM SEED intrude     what each step does before it has acquired anything
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unseen.h"

/* Of which the compiler accesses three bytes of four (clang; gcc 12 has no such type); and of which it accesses
 * sixteen at once. */
#ifdef __clang__
typedef unsigned _BitInt(24) three_bytes;
#else
typedef unsigned three_bytes;
#endif
typedef unsigned __int128 wide;

union mixture {
    int whole;
    float number;
    short half[2];
    unsigned char byte[4];
};

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

#include "regions.h"
#include "watch.h"

/* PHOTOFINISH_OPTIONS=report_bugs=1 has races reported, too. */
const char *__tsan_default_options(void);
__attribute__((no_sanitize("thread"))) const char *__tsan_default_options(void)
{
    return "report_bugs=0:exitcode=0";
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

/* --- several programs in one file --- */

struct program {
    long seed;
    void (*run)(void);
};

UNSEEN int run_program(const struct program *programs, int count, int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : programs[0].seed;
    if (argc > 2) {
        watching = argv[2][0] == 'w' ? WATCHING : INTRUDING;
        label = argv[2];
    }
    for (int i = 0; i < count; i++) {
        if (programs[i].seed != wanted)
            continue;
        programs[i].run();
        return 0;
    }
    return 2;
}
