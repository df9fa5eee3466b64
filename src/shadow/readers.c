#include "shadow/readers.h"

#include "shadow/owner_state.h"

/* --- settled vectors --- */

/* A thread asks each so many epochs. */
#ifndef READERS_SETTLE /* a test build has it at 1 */
#define READERS_SETTLE 64
#endif

static uint64_t word_with(uint64_t word, uint32_t flags)
{
    const uint32_t all = READERS_SETTLED | READERS_LEAVING;
    return (word & ~((uint64_t)all << 32)) | (uint64_t)flags << 32;
}

/* The thread has just read the word. */
cold_path static void settle(uint64_t *word, uint64_t seen)
{
    if (!readers_stay(seen) && owner_may_fence())
        cas_acq_rel(word, &seen, word_with(seen, READERS_SETTLED));
}

enum { UNSETTLED_AT_ONCE = 64 };

/* What it is now that it is LEAVING; 0: it was not settled. */
static uint64_t leave(uint64_t *word)
{
    uint64_t seen = load_acquire(word), leaving = word_with(seen, READERS_LEAVING);
    return readers_settled(seen) && cas_acq_rel(word, &seen, leaving) ? leaving : 0;
}

cold_path void readers_unsettle(uint64_t *word, size_t count)
{
    uint64_t leaving[UNSETTLED_AT_ONCE], any = 0;
    count = count < UNSETTLED_AT_ONCE ? count : UNSETTLED_AT_ONCE;
    for (size_t i = 0; i < count; i++)
        any |= leaving[i] = leave(word + i);
    if (any == 0) {
        sys_yield(); /* somebody is at it, or was */
        return;
    }
    owner_fence_all();
    owner_wait_all(shadow_chunk(word));
    for (size_t i = 0; i < count; i++)
        if (leaving[i] != 0)
            cas_acq_rel(word + i, &leaving[i],
                        word_with(leaving[i], 0)); /* fails only if the memory was cleared */
}

/* --- unsettled ones --- */

enum readers_answer readers_add(uint64_t *word, uint64_t seen, const struct actor *t)
{
    uint32_t *mine = vector_entry(read_half(seen), t->now), old = load_acquire(mine);
    if (old == t->now)
        return READERS_KNOWN;
    if (unlikely(load_acquire(word) != seen) || unlikely(!cas_acq_rel(mine, &old, t->now)))
        return READERS_AGAIN;
    if (unlikely(load_acquire(word) != seen))
        return READERS_AGAIN;
    if (unlikely(t->now % READERS_SETTLE == 0))
        settle(word, seen);
    return READERS_ADDED;
}
