/* Words of the shadow, or of a table beside it, become empty; pages of it are made before they are used. */
#pragma once

#include <emmintrin.h>

#include "base/atomic.h"
#include "base/sys.h"

hot_inline bool any_set(__m128i bits)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi32(bits, _mm_setzero_si128())) != 0xffff;
}

/* What is empty already is only looked at. Both begin and end with a word, or half of one. Returns whether something may
 * not have been. */
static inline bool empty_here(uintptr_t from, uintptr_t to)
{
    bool used = false;
    for (; to - from >= 16; from += 16)
        if (any_set(_mm_loadu_si128((const __m128i *)from))) {
            _mm_storeu_si128((__m128i *)from, _mm_setzero_si128());
            used = true;
        }
    for (; from < to; from += 4) {
        used |= load_relaxed((uint32_t *)from) != 0;
        store_relaxed((uint32_t *)from, 0);
    }
    return used;
}

/* Whole pages go back to the kernel if they are many, which returns them zeroed when they are next used. */
static inline bool empty(uintptr_t from, uintptr_t to)
{
    enum { PAGE_BYTES = 4096, GIVE_BACK_FROM = 16 * PAGE_BYTES };
    if (to - from < GIVE_BACK_FROM)
        return empty_here(from, to);
    uintptr_t first = (from + PAGE_BYTES - 1) & -(uintptr_t)PAGE_BYTES, last = to & -(uintptr_t)PAGE_BYTES;
    empty_here(from, first);
    sys_call3(SYS_madvise, (long)first, (long)(last - first), MADV_DONTNEED);
    empty_here(last, to);
    return true;
}

/* Those that begin there (shadow/map.h). */
static inline void touch_pages(uintptr_t from, uintptr_t to)
{
    enum { PAGE_BYTES = 4096 };
    for (uintptr_t page = (from + PAGE_BYTES - 1) & -(uintptr_t)PAGE_BYTES; page < to; page += PAGE_BYTES)
        __atomic_fetch_or((uint64_t *)page, 0, __ATOMIC_RELAXED);
}
