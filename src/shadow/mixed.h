/* Mixed pairs: the states of 8 bytes that differ, but have at most three epochs in all.
 *
 * A plain word is the state of all its four bytes. Where a part of it is accessed alone, both words of its pair become
 * MIXED, if they are simple: the 128 bits then hold three epochs and, for each of the eight bytes, which of them is its W
 * and which its R.
 *
 *   half       bits 31 30 29   the rest
 *   low W       1  1  1        epoch 1
 *   high W      1  1  1        epoch 2
 *   low R       1  0           14 bits of epoch 3 | roles of bytes 0 to 3
 *   high R      1              15 bits of epoch 3 | roles of bytes 4 to 7
 *
 *   the role of a byte         R: 2 bits | W: 2 bits     0: none; 1 to 3: that epoch
 *
 * A pair is changed as a whole, by one compare-and-swap: a step is a pure function of the old pair, as it is of a word
 * (shadow/state.h). Where the bytes of each word agree afterwards, the words are plain again.
 *
 * A mixed pair has no room for several unordered readers, a fourth epoch, an atomic access or a race. For these mixed_break()
 * makes each of its words plain or gives it cells (shadow/bytes.h).
 *
 * Invariants:
 *   1. Both words of a pair are MIXED, or neither is. Before one of them is cleared, the pair is broken up (shadow/clear.c).
 *   2. An epoch keeps its number as long as a byte has it and the pair stays mixed.
 *   3. The words are loaded one after the other. In between, the pair may have been plain, and mixed again with other numbers.
 *      A compare-and-swap finds that out; where nothing is to be changed, both words are compared at one moment (pair_is).
 *
 * proof/mixed.pml is this as a model.
 */
#pragma once

#include "shadow/bytes.h"
#include "shadow/freed.h"

#define MIXED (VECTOR_TAG | NARROW_TAG >> 2)

enum { MIXED_EPOCH_BITS = 29, MIXED_EPOCHS = 3, THIRD_LOW_BITS = 14 };
#define MIXED_EPOCH_MASK ((1u << MIXED_EPOCH_BITS) - 1)

/* The roles of all bytes: four bits for each. */
#define EACH_ROLE     0x11111111u
#define EACH_NUMBER   0x55555555u /* W and R of each */
#define MIXED_WRITERS 0x33333333u
#define MIXED_READERS 0xccccccccu

struct mixed {
    uint64_t low, high; /* the words: only their epochs are valid, their roles may be old */
    uint32_t roles;     /* of all bytes */
};

enum mixed_answer {
    MIXED_SAME,    /* done: same epoch */
    MIXED_CHANGED, /* done */
    MIXED_AGAIN,   /* the pair is another by now */
    MIXED_NOT      /* nothing is done: a mixed pair cannot hold the outcome */
};

hot_inline bool word_mixed(uint64_t word)
{
    return (write_half(word) & MIXED) == MIXED;
}

hot_inline uint64_t *pair_of(const uint64_t *word)
{
    return (uint64_t *)((uintptr_t)word & ~(uintptr_t)15);
}

/* Bytes [from, to) of the word, as a mask of the roles of its pair. */
hot_inline uint32_t mixed_bytes(const uint64_t *word, unsigned from, unsigned to)
{
    uint32_t roles = ((1u << 4 * (to - from)) - 1) << 4 * from;
    return (uintptr_t)word & 8 ? roles << 16 : roles;
}

#define BOTH_WORDS UINT32_MAX

/* --- the bits --- */

#define MIXED_TAGS ((uint64_t)NARROW_TAG << 32 | MIXED)

hot_inline struct mixed mixed_unpack(uint64_t low, uint64_t high)
{
    return (struct mixed){low, high, (read_half(low) & 0xffff) | read_half(high) << 16};
}

hot_inline uint32_t mixed_first(const struct mixed *m)
{
    return write_half(m->low) & MIXED_EPOCH_MASK;
}

hot_inline uint32_t mixed_second(const struct mixed *m)
{
    return write_half(m->high) & MIXED_EPOCH_MASK;
}

hot_inline uint32_t mixed_third(const struct mixed *m)
{
    const uint32_t mask = (1u << THIRD_LOW_BITS) - 1;
    return (read_half(m->low) >> 16 & mask) | (read_half(m->high) >> 16 & (mask << 1 | 1)) << THIRD_LOW_BITS;
}

hot_inline uint32_t mixed_epoch(const struct mixed *m, uint32_t number)
{
    return number == 0 ? 0 : number == 1 ? mixed_first(m) : number == 2 ? mixed_second(m) : mixed_third(m);
}

hot_inline void mixed_set(struct mixed *m, uint32_t number, uint32_t half)
{
    const uint32_t mask = (1u << THIRD_LOW_BITS) - 1;
    if (number == 1) {
        m->low = (m->low & ~(uint64_t)MIXED_EPOCH_MASK) | half;
    } else if (number == 2) {
        m->high = (m->high & ~(uint64_t)MIXED_EPOCH_MASK) | half;
    } else {
        m->low = (m->low & ~((uint64_t)mask << 48)) | (uint64_t)(half & mask) << 48;
        m->high = (m->high & ~((uint64_t)(mask << 1 | 1) << 48)) | (uint64_t)(half >> THIRD_LOW_BITS) << 48;
    }
}

/* The number of the epoch, or 0. */
hot_inline uint32_t mixed_find(const struct mixed *m, uint32_t half)
{
    return mixed_first(m) == half ? 1 : mixed_second(m) == half ? 2 : mixed_third(m) == half ? 3 : 0;
}

/* The number of the epoch. Gives it one if it has none; NO_ROOM: none is left. */
enum { NO_ROOM = 4 };
hot_inline uint32_t mixed_number(struct mixed *m, uint32_t half)
{
    if (half == 0)
        return 0;
    uint32_t number = mixed_find(m, half);
    if (number != 0)
        return number;
    number = mixed_find(m, 0);
    if (number == 0)
        return NO_ROOM;
    mixed_set(m, number, half);
    return number;
}

/* Two simple words. False: their epochs are too many, or too large. */
hot_inline bool mixed_from_words(uint64_t low, uint64_t high, struct mixed *m)
{
    if (unlikely((read_half(low) | write_half(low) | read_half(high) | write_half(high)) & ~MIXED_EPOCH_MASK))
        return false;
    *m = (struct mixed){MIXED_TAGS | write_half(low), MIXED_TAGS, 0};
    uint32_t w = write_half(low) != 0, r = mixed_number(m, read_half(low));
    m->roles = (w | r << 2) * EACH_ROLE;
    if (likely(high == low))
        return true;
    w = mixed_number(m, write_half(high));
    r = mixed_number(m, read_half(high));
    m->roles = (m->roles & 0xffff) | (w | r << 2) * 0x11110000;
    return likely(w != NO_ROOM) && likely(r != NO_ROOM);
}

/* The state of a byte. */
hot_inline uint64_t mixed_state(const struct mixed *m, unsigned byte)
{
    uint32_t role = m->roles >> 4 * byte;
    return (uint64_t)mixed_epoch(m, role >> 2 & 3) << 32 | mixed_epoch(m, role & 3);
}

hot_inline uint64_t mixed_with_roles(uint64_t word, uint32_t roles)
{
    return (word & ~((uint64_t)0xffff << 32)) | (uint64_t)roles << 32;
}

hot_inline void mixed_pack(const struct mixed *m, uint64_t *low, uint64_t *high)
{
    if (unlikely((m->roles & 0x000f000f) * 0x1111 == m->roles)) { /* the bytes of each word agree */
        *low = mixed_state(m, 0);
        *high = mixed_state(m, 4);
    } else {
        *low = mixed_with_roles(m->low, m->roles & 0xffff);
        *high = mixed_with_roles(m->high, m->roles >> 16);
    }
}

/* --- the rules --- */

/* The lowest bit of each W and each R that has this number, not 0. */
hot_inline uint32_t mixed_uses(uint32_t roles, uint32_t number)
{
    uint32_t other = roles ^ number * EACH_NUMBER;
    return ~(other | other >> 1) & EACH_NUMBER;
}

/* Does a byte have the epoch of this number, not 0, as its W or R? */
hot_inline bool mixed_has(uint32_t roles, uint32_t number)
{
    return mixed_uses(roles, number) != 0;
}

/* No byte has the epoch of this number any more. */
hot_inline void mixed_erase(struct mixed *m, uint32_t number)
{
    m->roles &= ~(mixed_uses(m->roles, number) * 3);
    mixed_set(m, number, 0);
}

/* The bytes that have the epoch of this number as their W. */
hot_inline uint32_t mixed_written(uint32_t roles, uint32_t number)
{
    uint32_t other = roles ^ number * EACH_ROLE;
    return (~(other | other >> 1) & EACH_ROLE) * 15;
}

/* [READ SAME EPOCH], [READ OWN WRITE], [WRITE SAME EPOCH]  Those of the bytes whose state does not say it already. */
hot_inline uint32_t mixed_to_do(const struct mixed *m, uint32_t bytes, enum access_kind kind, uint32_t number)
{
    if (number == 0)
        return bytes;
    bytes &= ~mixed_written(m->roles, number);
    return kind == PLAIN_READ ? bytes & ~mixed_written(m->roles >> 2, number) : bytes;
}

/* Does the access come after all epochs of these bytes? */
hot_inline bool mixed_ordered(const struct mixed *m, uint32_t bytes, const struct actor *t)
{
    return (likely(half_before(mixed_first(m), t->clock)) || !mixed_has(m->roles & bytes, 1)) &&
           (likely(half_before(mixed_second(m), t->clock)) || !mixed_has(m->roles & bytes, 2)) &&
           (likely(half_before(mixed_third(m), t->clock)) || !mixed_has(m->roles & bytes, 3));
}

/* [READ EXCLUSIVE], [WRITE EXCLUSIVE]  An access to some bytes of the pair by a thread whose epoch has this number, or 0. */
hot_inline enum mixed_answer mixed_step(struct mixed *m, uint32_t number, uint32_t bytes,
                                        enum access_kind kind, const struct actor *t)
{
    bytes = mixed_to_do(m, bytes, kind, number);
    if (bytes == 0)
        return MIXED_SAME;
    if (unlikely(!mixed_ordered(m, bytes, t)))
        return MIXED_NOT;
    uint32_t rest = m->roles & ~(kind == PLAIN_READ ? bytes & MIXED_READERS : bytes);
    if (number == 0) {
        number = !mixed_has(rest, 1) ? 1 : !mixed_has(rest, 2) ? 2 : !mixed_has(rest, 3) ? 3 : 0;
        if (unlikely(number == 0))
            return MIXED_NOT;
        mixed_set(m, number, t->now);
    }
    m->roles = rest | (kind == PLAIN_READ ? number * (EACH_ROLE << 2) & bytes & MIXED_READERS
                                          : number * EACH_ROLE & bytes & MIXED_WRITERS);
    return MIXED_CHANGED;
}

/* Branches on the number can be predicted: the step need not wait for it. */
hot_inline enum mixed_answer mixed_step_any(struct mixed *m, uint32_t bytes, enum access_kind kind,
                                            const struct actor *t)
{
    if (mixed_first(m) == t->now)
        return mixed_step(m, 1, bytes, kind, t);
    if (mixed_second(m) == t->now)
        return mixed_step(m, 2, bytes, kind, t);
    if (mixed_third(m) == t->now)
        return mixed_step(m, 3, bytes, kind, t);
    return mixed_step(m, 0, bytes, kind, t);
}

/* mixed_access() where one of the words is empty, and its chunk known to sweeps. */
HIDDEN enum mixed_answer mixed_access_empty(uint64_t *pair, uint64_t low, uint64_t high, uint32_t bytes,
                                            enum access_kind kind, const struct actor *t);

/* An access to some bytes of a pair, mixed or not. If a word is empty, its chunk is known to sweeps. */
hot_inline enum mixed_answer mixed_access(uint64_t *pair, uint32_t bytes, enum access_kind kind,
                                          const struct actor *t)
{
    uint64_t low = load_acquire(pair), high = load_acquire(pair + 1), low_to, high_to;
    struct mixed m;
    if (unlikely(t->now > MIXED_EPOCH_MASK))
        return MIXED_NOT;
    if (word_mixed(low)) {
        if (unlikely(!word_mixed(high)))
            return MIXED_AGAIN;
        m = mixed_unpack(low, high);
    } else if (low == 0 || high == 0) {
        return mixed_access_empty(pair, low, high, bytes, kind, t);
    } else if (!mixed_from_words(low, high, &m)) {
        return unlikely(word_mixed(high)) ? MIXED_AGAIN : MIXED_NOT;
    }
    enum mixed_answer answer = mixed_step_any(&m, bytes, kind, t);
    if (answer == MIXED_SAME && unlikely(!pair_is(pair, low, high)))
        return MIXED_AGAIN;
    if (answer != MIXED_CHANGED)
        return answer;
    mixed_pack(&m, &low_to, &high_to);
    if (unlikely(!cas_pair_each(pair, low, high, low_to, high_to)))
        return MIXED_AGAIN;
    return MIXED_CHANGED;
}

/* Without gate or lock (shadow/same_epoch.h). The pair was mixed. */
hot_inline bool mixed_same_epoch(const uint64_t *pair, uint32_t bytes, enum access_kind kind, uint32_t now)
{
    uint64_t low = load_acquire(pair), high = load_acquire(pair + 1);
    if (unlikely(!word_mixed(low)) || unlikely(!word_mixed(high)))
        return false;
    struct mixed m = mixed_unpack(low, high);
    return mixed_to_do(&m, bytes, kind, mixed_find(&m, now)) == 0 && pair_is(pair, low, high);
}

/* Does a write to all of the pair come after all its epochs? False if it is not mixed. */
hot_inline bool mixed_write_follows(uint64_t low, uint64_t high, const struct actor *t)
{
    struct mixed m = mixed_unpack(low, high);
    return word_mixed(low) && word_mixed(high) && mixed_ordered(&m, BOTH_WORDS, t);
}

/* The word was found MIXED: look at it again. Both words of its pair are plain or PAGED now, unless another thread changed
 * them first. */
HIDDEN void mixed_break(uint64_t *word);
