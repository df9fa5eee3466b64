/* Two neighbouring words, which are 8 bytes of the program, changed at once. */
#pragma once

#include <emmintrin.h>

#include "base/atomic.h"

hot_inline bool is_pair(const uint64_t *word)
{
    return ((uintptr_t)word & 15) == 0;
}

/* Both words: low -> low_to, high -> high_to. */
hot_inline bool cas_pair_each(uint64_t *word, uint64_t low, uint64_t high, uint64_t low_to, uint64_t high_to)
{
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(unsigned __int128 *)word), "+a"(low), "+d"(high)
                     : "b"(low_to), "c"(high_to)
                     : "memory");
    return done;
}

/* Both words: low, high -> to. */
hot_inline bool cas_pair(uint64_t *word, uint64_t low, uint64_t high, uint64_t to)
{
    return cas_pair_each(word, low, high, to, to);
}

/* Do both words say this at one moment? 16 aligned bytes are loaded at once, as the manuals of processors that have AVX say. */
hot_inline bool pair_is(const uint64_t *word, uint64_t low, uint64_t high)
{
    __m128i seen;
    __asm__ volatile("movdqa %1, %0" : "=x"(seen) : "m"(*(const __m128i *)word) : "memory");
    __m128i same = _mm_cmpeq_epi32(seen, _mm_set_epi64x((long long)high, (long long)low));
    return likely(_mm_movemask_epi8(same) == 0xffff);
}
