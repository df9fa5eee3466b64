/* Vector clocks as plain arrays of 32-bit clocks indexed by slot. All entries past the end are 0.
 *
 *   V1 ⊑ V2  iff  V1(s) ≤ V2(s) for all s          V1 ⊔ V2 = the pointwise maximum       (000 §3.1)
 *
 * Invariant: every entry is ≤ CLOCK_MAX < 2^31. Baseline x86-64 has signed 32-bit compares but no unsigned
 * maximum; with this bound both agree and the loops below become SIMD.
 */
#pragma once

#include "clock/epoch.h"

/* Four entries. -O2 would not make SIMD of the loops below, and of a copy a call of memmove. */
typedef int32_t vclock_four __attribute__((vector_size(16)));

static inline vclock_four vclock_load(const uint32_t *from)
{
    vclock_four entries;
    __builtin_memcpy(&entries, from, sizeof entries);
    __asm__("" : "+x"(entries));
    return entries;
}

/* into := into ⊔ from, over n entries. */
static inline void vclock_join(uint32_t *restrict into, const uint32_t *restrict from, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vclock_four a = vclock_load(into + i), b = vclock_load(from + i), above = a > b;
        vclock_four most = (a & above) | (b & ~above);
        __builtin_memcpy(into + i, &most, sizeof most);
    }
    for (; i < n; i++) {
        int32_t a = (int32_t)into[i], b = (int32_t)from[i];
        into[i] = (uint32_t)(a > b ? a : b);
    }
}

/* Clocks are copied at every release, and most are short. */
static inline void vclock_copy(uint32_t *restrict to, const uint32_t *restrict from, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vclock_four entries = vclock_load(from + i);
        __builtin_memcpy(to + i, &entries, sizeof entries);
    }
    for (; i < n; i++) {
        uint32_t entry = from[i];
        __asm__("" : "+r"(entry));
        to[i] = entry;
    }
}

/* The first slot at which a exceeds b, or n when a ⊑ b. */
static inline size_t vclock_first_above(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] > b[i])
            return i;
    return n;
}
