#include "shadow/mixed.h"

/* The word is BUSY, and ours: the states of its four bytes go back into it, unless it is cleared meanwhile. */
static void split(uint64_t *word, const struct mixed *m, unsigned first)
{
    uint64_t state[4], busy = BUSY;
    bool agree = true;
    for (unsigned i = 0; i < 4; i++) {
        state[i] = mixed_state(m, first + i);
        agree &= state[i] == state[0];
    }
    cas_acq_rel(word, &busy, agree ? state[0] : bytes_new_paged(state));
}

/* Where a free() came before the words became BUSY, the bytes that are not accessed get its state (shadow/freed.h); a later
 * free() finds BUSY, and waits. */
enum mixed_answer mixed_access_empty(uint64_t *pair, uint64_t low, uint64_t high, uint32_t bytes,
                                     enum access_kind kind, const struct actor *t)
{
    struct mixed m;
    if (!mixed_from_words(low, high, &m))
        return word_mixed(high) ? MIXED_AGAIN : MIXED_NOT;
    if (!cas_pair_each(pair, low, high, BUSY, BUSY))
        return MIXED_AGAIN;
    uint32_t freed = freed_when(pair);
    if (unlikely(freed != 0)) {
        freed_mark(pair);
        low = low == 0 ? freed : low;
        high = high == 0 ? freed : high;
    }
    bool fits = mixed_from_words(low, high, &m);
    enum mixed_answer answer = fits ? mixed_step_any(&m, bytes, kind, t) : MIXED_NOT;
    if (answer == MIXED_CHANGED)
        mixed_pack(&m, &low, &high);
    if (unlikely(!cas_pair_each(pair, BUSY, BUSY, low, high))) { /* a word was cleared meanwhile */
        uint64_t busy = BUSY;
        if (fits) {
            split(pair, &m, 0);
            split(pair + 1, &m, 4);
        } else {
            cas_acq_rel(pair, &busy, low);
            busy = BUSY;
            cas_acq_rel(pair + 1, &busy, high);
        }
    }
    return answer;
}

void mixed_break(uint64_t *word)
{
    uint64_t *pair = pair_of(word), low = load_acquire(pair), high = load_acquire(pair + 1);
    if (!word_mixed(low) || !word_mixed(high) || !cas_pair(pair, low, high, BUSY))
        return;
    struct mixed m = mixed_unpack(low, high);
    split(pair, &m, 0);
    split(pair + 1, &m, 4);
}
