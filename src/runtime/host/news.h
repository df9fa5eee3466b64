/* Whether an atomic variable may have anything that a thread has not learned.
 *
 * Who adds to what a variable releases, for whatever reason, counts that before, under the host's lock; where the
 * adding is part of an atomic operation, before the real one. A thread that has learned all there is, likewise under the
 * lock, keeps the count. As long as that is the same, what it loads has nothing to teach it, and needs no lock: if
 * the count is still the same after the real load, the value was there before anything was added. Several variables
 * have one count: then a thread looks in vain, no more.
 *
 * A lock whose holders have it alone (host/lock_turns.h) has more and more without its being counted: getting it
 * alone counts, and learning what it has ends that.
 */
#pragma once

#include "base/atomic.h"
#include "base/base.h"

enum { NEWS_COUNTS = 1024 };

struct news {
    uint64_t count;
} __attribute__((aligned(64)));
extern HIDDEN struct news news[NEWS_COUNTS];

hot_inline uint64_t *news_of(uintptr_t variable)
{
    return &news[variable * UINT64_C(0x9e3779b97f4a7c15) >> 54].count;
}

hot_inline uint64_t news_now(uintptr_t variable)
{
    return load_acquire(news_of(variable));
}

/* After a load: is it as it was? */
hot_inline bool news_none(uintptr_t variable, uint64_t before)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return load_relaxed(news_of(variable)) == before;
}

/* Under the host's lock. */
hot_inline void news_add(uintptr_t variable)
{
    uint64_t *count = news_of(variable);
    store_release(count, *count + 1);
}
